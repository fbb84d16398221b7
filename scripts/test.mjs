// `npm test`: installs what is missing, builds, runs the whole suite and prints the totals.
// With arguments (paths, or options of vitest) it runs only the vitest tests that they name.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { nodeProblem, stopIf } from './checks.mjs';
import { build, install } from './prepare.mjs';
import { root } from './root.mjs';

stopIf(nodeProblem());
const named = process.argv.slice(2);
const results = path.join(root, '.cache/test-results');
fs.rmSync(results, { recursive: true, force: true });
fs.mkdirSync(results, { recursive: true });

await install('[1/4] Installing packages', path.join(root, '.cache/logs'));
await build('[2/4] Building', path.join(root, '.cache/logs'));
const tally = { passed: 0, failed: 0, skipped: [] };
const codes = [await unitTests()];
if (named.length === 0) codes.push(await browserTests());

for (const name of tally.skipped) process.stdout.write(`skipped: ${name}\n`);
process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed, ${tally.skipped.length} skipped\n`);
process.exitCode = codes.every((code) => code === 0) && tally.failed === 0 ? 0 : 1;

async function unitTests() {
  process.stdout.write('[3/4] Unit, property and integration tests\n');
  const file = path.join(results, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await run(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...named]);
  for (const { assertionResults, status, name } of read(file)?.testResults ?? []) {
    if (status === 'failed' && assertionResults.length === 0) tally.failed++; // the file itself did not load
    for (const test of assertionResults) count(test.status, `${path.relative(root, name)}: ${test.fullName}`);
  }
  return code;
}

async function browserTests() {
  process.stdout.write('\n[4/4] Browser tests\n');
  const file = path.join(results, 'playwright.json');
  const code = await run(['node_modules/@playwright/test/cli.js', 'test'], { PLAYWRIGHT_JSON_OUTPUT_NAME: file });
  const report = read(file);
  tally.failed += report?.errors?.length ?? 0; // what no test caught
  for (const { spec, title } of (report?.suites ?? []).flatMap((suite) => specsOf(suite, suite.title))) {
    for (const { status } of spec.tests) count(status, title);
  }
  return code;
}

function specsOf(suite, title) {
  const own = suite.specs.map((spec) => ({ spec, title: `${title}: ${spec.title}` }));
  return [...own, ...(suite.suites ?? []).flatMap((inner) => specsOf(inner, `${title}: ${inner.title}`))];
}

/** Statuses of vitest and of Playwright. */
function count(status, name) {
  if (['passed', 'expected', 'flaky'].includes(status)) tally.passed++;
  else if (['skipped', 'pending', 'todo', 'disabled'].includes(status)) tally.skipped.push(name);
  else tally.failed++;
}

function run(args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function read(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
}
