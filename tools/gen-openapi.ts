import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { api, openapi } from '@callsmith/contracts';

// Writes docs/openapi.json: `node tools/run.mjs tools/gen-openapi.ts`.
const path = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));
writeFileSync(path, `${JSON.stringify(openapi(api), null, 2)}\n`);
