// `npm run lint`: every check that does not run the product. Continues after a failure, so that one run reports everything.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { nodeProblem, stopIf } from './checks.mjs';
import { build, install } from './prepare.mjs';
import { root } from './root.mjs';

const CHECKS = [
  ['format and common mistakes (Biome)', ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['projects (Nx)', ['nx/dist/bin/nx.js', 'show', 'projects']],
  ['boundaries (ESLint)', ['eslint/bin/eslint.js', '--max-warnings', '0', '.']],
  ['promises and cases (Oxlint)', ['oxlint/bin/oxlint', '--type-aware', 'apps', 'libs', 'e2e', 'tools']],
  ['dead code (knip)', ['knip/bin/knip.js', '--no-progress', '--no-config-hints']],
  ['what only tests use (knip)', ['knip/bin/knip.js', '--production', '--no-progress', '--no-config-hints']],
  ['members that only tests read', ['../tools/run.mjs', 'tools/unused-members.ts']],
  ['documents generated from the settings', ['../tools/settings-docs.mjs', '--check']],
  ['lockfile', ['../tools/lockfile-check.mjs']],
  ['licences', ['../tools/sbom.mjs', '--licences']],
];

stopIf(nodeProblem());
const logs = path.join(root, '.cache/logs');
await install('[1/3] Installing packages', logs);
await build('[2/3] Generating the database client', logs, []);
process.stdout.write('[3/3] Checking\n');
for (const [title, [script, ...args]] of CHECKS) {
  const began = Date.now();
  const command = ['--max-old-space-size=6144', path.join(root, 'node_modules', script), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const passed = status === 0;
  process.stdout.write(
    `  ${passed ? 'ok    ' : 'FAILED'}  ${title}  (${((Date.now() - began) / 1000).toFixed(1)} s)\n`,
  );
  if (passed) continue;
  process.stdout.write(`${stdout}${stderr}\n`);
  process.exitCode = 1;
}
