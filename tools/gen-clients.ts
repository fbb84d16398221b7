// Writes docs/clients.md: `node tools/run.mjs tools/gen-clients.ts`.
import { writeFileSync } from 'node:fs';
import { clientsPage } from './clients-page.ts';

writeFileSync(new URL('../docs/clients.md', import.meta.url), clientsPage());
