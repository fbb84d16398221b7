import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { api, openapi } from '@callsmith/contracts';
import { inferenceOpenapi } from '@callsmith/contracts/inference';

// Writes docs/openapi.json, docs/openapi-inference.json and the client's list of addresses: `node tools/run.mjs tools/gen-openapi.ts`.
const write = (path: string, text: string) => writeFileSync(fileURLToPath(new URL(path, import.meta.url)), text);
write('../docs/openapi.json', `${JSON.stringify(openapi(api), null, 2)}\n`);
write('../docs/openapi-inference.json', `${JSON.stringify(inferenceOpenapi(), null, 2)}\n`);
write('../libs/contracts/src/routes.ts', routesFile());

function routesFile(): string {
  const areas = Object.entries(api).map(([area, endpoints]) => {
    const lines = Object.entries(endpoints).map(([name, { method, path }]) => `    ${name}: '${method} ${path}',\n`);
    return `  ${area}: {\n${lines.join('')}  },\n`;
  });
  return `// Made from the contract by tools/gen-openapi.ts. Do not edit.
import type { api } from './api/index.ts';
import type { Routes } from './client.ts';

/** The method and path of each endpoint of the admin API: a browser loads this instead of the whole contract. */
export const routes = {
${areas.join('')}} as const satisfies Routes<typeof api>;
`;
}
