// `npm run reset`: lists what an installation has stored, asks, removes it. With `--yes` it does not ask.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import readline from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataDirOf, nodeProblem, readSettings, stopIf } from './checks.mjs';
import { runningInstance } from './instance.mjs';

stopIf(nodeProblem());
const { values, problem } = readSettings();
stopIf(problem);
const dataDir = dataDirOf(values);
const running = runningInstance(dataDir);
stopIf(running && `Callsmith is running (pid ${running.pid}). Stop it first`);

const lock = path.join(dataDir, 'postgres.lock');
const renewedAt = () => fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
const renewed = renewedAt();
if (renewed !== undefined) {
  // Its owner may be in another container or on another machine: only the renewal of the lock shows that it is running.
  process.stdout.write('Looking whether the database is in use (5 s) … ');
  await sleep(5_000);
  const now = renewedAt();
  const isRenewed = now !== undefined && now !== renewed;
  process.stdout.write(isRenewed ? 'yes\n' : 'no\n');
  stopIf(isRenewed && `The database in ${dataDir} is in use by another Callsmith. Stop it first`);
}

/** The files that an installation writes into DATA_DIR. Other files there are left alone. */
const OURS =
  /^(?:postgres|postgres\.(?:new|lock).*|postgres-(?:folder|password|\d.*)|secret-key|demo-key|instance\.json|logs)$/;

const note = path.join(dataDir, 'postgres-folder');
const elsewhere = fs.existsSync(note)
  ? [fs.readFileSync(note, 'utf8').trim()].filter((folder) => fs.existsSync(folder))
  : [];
const inside = fs.existsSync(dataDir) ? fs.readdirSync(dataDir).filter((name) => OURS.test(name)) : [];
const present = [...elsewhere, ...inside.map((name) => path.join(dataDir, name))];
if (present.length === 0) {
  process.stdout.write(`Nothing to remove in ${dataDir}\n`);
} else {
  process.stdout.write(
    `This permanently removes the database with all API keys, users and records:\n${present.map(line).join('')}`,
  );
  if (values.DATABASE_URL) process.stdout.write('The external database (DATABASE_URL) is left untouched.\n');
  if (await agreed()) {
    for (const file of present) fs.rmSync(file, { recursive: true, force: true });
    if (fs.readdirSync(dataDir).length === 0) fs.rmdirSync(dataDir);
    process.stdout.write('Removed. The next npm start sets everything up again.\n');
  } else process.stdout.write('Nothing was removed.\n');
}

function line(file) {
  return `  ${file}  (${(bytesOf(file) / 1e6).toFixed(1)} MB)\n`;
}

function bytesOf(file) {
  const about = fs.lstatSync(file);
  if (!about.isDirectory()) return about.size;
  return fs.readdirSync(file).reduce((sum, name) => sum + bytesOf(path.join(file, name)), 0);
}

async function agreed() {
  if (process.argv.includes('--yes')) return true;
  if (!process.stdin.isTTY) {
    process.stdout.write('To confirm without a terminal: npm run reset -- --yes\n');
    return false;
  }
  const ask = readline.createInterface({ input: process.stdin, output: process.stdout });
  const answer = await ask.question('Type yes to remove everything listed: ');
  ask.close();
  return answer.trim().toLowerCase() === 'yes';
}
