// `npm test`: installs what is missing, builds, runs the whole suite and prints the totals.
// With arguments (paths, or options of vitest) it runs only the vitest tests that they name.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
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
const tally = { passed: 0, failed: [], skipped: [] };
const codes = [await unitTests()];
if (named.length === 0) codes.push(await browserTests());

for (const name of tally.skipped) process.stdout.write(`skipped: ${name}\n`);
// Repeated at the end: the original report is thousands of lines above, and a log is often read from its end.
for (const { name, why } of tally.failed) process.stdout.write(`failed: ${name}\n${why.replace(/^/gm, '  ')}\n`);
process.stdout.write(`\n${tally.passed} passed, ${tally.failed.length} failed, ${tally.skipped.length} skipped\n`);
process.exitCode = codes.every((code) => code === 0) && tally.failed.length === 0 ? 0 : 1;

async function unitTests() {
  process.stdout.write('[3/4] Unit, property and integration tests\n');
  const file = path.join(results, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await run(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...named]);
  for (const { assertionResults, status, name, message } of read(file)?.testResults ?? []) {
    const from = path.relative(root, name);
    // A failed file without failed tests did not load, or its setup or teardown failed.
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) fail(from, message);
    for (const test of assertionResults) count(test.status, `${from}: ${test.fullName}`, test.failureMessages);
  }
  return code;
}

async function browserTests() {
  process.stdout.write('\n[4/4] Browser tests\n');
  const file = path.join(results, 'playwright.json');
  const code = await run(['node_modules/@playwright/test/cli.js', 'test'], { PLAYWRIGHT_JSON_OUTPUT_NAME: file });
  const report = read(file);
  for (const error of report?.errors ?? []) fail('outside of the browser tests', error.message); // errors outside tests
  for (const { spec, title } of (report?.suites ?? []).flatMap((suite) => specsOf(suite, suite.title))) {
    for (const { status, results } of spec.tests)
      count(
        status,
        title,
        results.flatMap(({ errors }) => errors.map(({ message }) => message)),
      );
  }
  return code;
}

function specsOf(suite, title) {
  const own = suite.specs.map((spec) => ({ spec, title: `${title}: ${spec.title}` }));
  return [...own, ...(suite.suites ?? []).flatMap((inner) => specsOf(inner, `${title}: ${inner.title}`))];
}

/** Statuses of vitest and of Playwright. */
function count(status, name, messages = []) {
  if (['passed', 'expected', 'flaky'].includes(status)) tally.passed++;
  else if (['skipped', 'pending', 'todo', 'disabled'].includes(status)) tally.skipped.push(name);
  else fail(name, messages.join('\n'));
}

/** The first lines of the message have the expected and the actual value; the rest is in the report above. */
function fail(name, message) {
  const why = stripVTControlCharacters(message ?? '')
    .trim()
    .split('\n')
    .slice(0, 6)
    .join('\n');
  tally.failed.push({ name, why });
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
