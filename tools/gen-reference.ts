// Writes docs/reference.md: `node tools/run.mjs tools/gen-reference.ts`.
import { writeFileSync } from 'node:fs';
import { referencePage } from './reference-page.ts';

writeFileSync(new URL('../docs/reference.md', import.meta.url), referencePage());
