#!/usr/bin/env node
// Runs a TypeScript script of this repository: `node tools/run.mjs tools/some-script.ts [arguments]`. Vite compiles it
// in memory, resolving the libraries from source, so nothing has to be built first.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const script = process.argv[2];
if (!script) {
  process.stderr.write('usage: node tools/run.mjs SCRIPT.ts [arguments]\n');
  process.exit(2);
}
process.argv.splice(1, 2, resolve(script));
await runnerImport(resolve(script), {
  configFile: false,
  root: fileURLToPath(new URL('..', import.meta.url)),
  logLevel: 'error',
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], noExternal: [/^@callsmith\//] } },
});
