// Writes docs/requirements.md and docs/security.md: `node tools/run.mjs tools/gen-requirements.ts`.
import { writeFileSync } from 'node:fs';
import { requirementsPage, securityPage } from './shown-by.ts';

writeFileSync(new URL('../docs/requirements.md', import.meta.url), requirementsPage());
writeFileSync(new URL('../docs/security.md', import.meta.url), securityPage());
