// `npm run lint`: every check that does not run the product, two at a time. Continues after a failure, so that one run
// reports everything.
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { nodeProblem, stopIf } from './checks.mjs';
import { build, install } from './prepare.mjs';
import { root } from './root.mjs';

// The longest first.
const CHECKS = [
  ['members that only tests read', ['../tools/run.mjs', 'tools/unused-members.ts']],
  ['format and common mistakes (Biome)', ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['projects (Nx)', ['nx/dist/bin/nx.js', 'show', 'projects']],
  ['boundaries (ESLint)', ['eslint/bin/eslint.js', '--max-warnings', '0', '.']],
  ['promises and cases (Oxlint)', ['oxlint/bin/oxlint', '--type-aware', 'apps', 'libs', 'e2e', 'tools']],
  ['dead code (knip)', ['knip/bin/knip.js', '--no-progress', '--no-config-hints']],
  ['what only tests use (knip)', ['knip/bin/knip.js', '--production', '--no-progress', '--no-config-hints']],
  ['documents generated from the settings', ['../tools/settings-docs.mjs', '--check']],
  ['lockfile', ['../tools/lockfile-check.mjs']],
  ['licences', ['../tools/sbom.mjs', '--licences']],
];

stopIf(nodeProblem());
const logs = path.join(root, '.cache/logs');
await install('[1/3] Installing packages', logs);
await build('[2/3] Generating the database client', logs, []);
process.stdout.write('[3/3] Checking\n');
const waiting = [...CHECKS];
await Promise.all([worker(), worker()]);

async function worker() {
  for (let check = waiting.shift(); check; check = waiting.shift()) await run(...check);
}

/** Runs one check and reports it. */
async function run(title, [script, ...args]) {
  const began = Date.now();
  const child = spawn(process.execPath, [path.join(root, 'node_modules', script), ...args], { cwd: root });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => printed.push(bytes));
  const code = await new Promise((done) => child.on('close', done));
  const passed = code === 0;
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  process.stdout.write(`  ${passed ? 'ok    ' : 'FAILED'}  ${title}  (${seconds} s)\n`);
  if (passed) return;
  process.stdout.write(`${Buffer.concat(printed)}\n`);
  process.exitCode = 1;
}
