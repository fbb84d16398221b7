// The checks before anything is installed. They run on any Node.js since 16, so newer functions of Node.js are accessed
// through their module, never imported by name.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';
import util from 'node:util';
import { checkSettings, problemTable } from '../libs/config/src/settings.mjs';
import { runningInstance } from './instance.mjs';
import { root } from './root.mjs';

/** Ends the process with the sentence `problem`, if there is one. */
export function stopIf(problem) {
  if (!problem) return;
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

/** Why Callsmith cannot run on this Node; undefined: it can. */
export function nodeProblem(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
  if (fits) return undefined;
  return `Callsmith needs Node.js 20 (≥ 20.19), 22 (≥ 22.12) or ≥ 24; this is ${version}`;
}

/** Why it cannot run on this kind of machine. */
export function platformProblem(values) {
  if (!['linux', 'darwin'].includes(process.platform))
    return 'Callsmith runs on Linux and macOS; on Windows, start it inside WSL';
  if (!['x64', 'arm64'].includes(process.arch)) return `Callsmith runs on x64 and arm64, this is ${process.arch}`;
  const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  if (musl && !values.DATABASE_URL)
    return 'The embedded database needs a Linux with glibc. This one uses musl: set DATABASE_URL to your own PostgreSQL database';
  return undefined;
}

/** Reads the settings: their values as text, and the table of what is invalid. */
export function readSettings() {
  const file = path.join(root, '.env');
  const given = fs.existsSync(file) ? util.parseEnv(fs.readFileSync(file, 'utf8')) : {};
  const { values, problems } = checkSettings({ env: process.env, file: given });
  return { values, problem: problems.length > 0 ? problemTable(problems) : undefined };
}

/** The folder of DATA_DIR, absolute. */
export const dataDirOf = (values) => path.resolve(root, values.DATA_DIR);

/** Why the disk cannot be used: no permission, or too little space. `installing`: the packages are not installed yet. */
export function diskProblem(values, installing) {
  const dataDir = dataDirOf(values);
  try {
    fs.mkdirSync(dataDir, { recursive: true, mode: process.getuid() === 0 ? 0o755 : 0o700 }); // as root, the database server runs under another account
    fs.accessSync(dataDir, fs.constants.W_OK);
    if (installing) fs.accessSync(root, fs.constants.W_OK);
  } catch (error) {
    return `Callsmith cannot write to ${error.path}: ${whyNotWritable(error)}. Try another folder: DATA_DIR=… or another clone`;
  }
  const needed = installing ? 1500 : 200;
  for (const folder of installing ? [root, dataDir] : [dataDir]) {
    const { bavail, bsize } = fs.statfsSync(folder);
    const free = Math.floor((bavail * bsize) / 1e6);
    if (free < needed) return `Callsmith needs ${needed} MB of disk space in ${folder}; ${free} MB are free`;
  }
  return undefined;
}

const NOT_WRITABLE = { EACCES: 'no permission', EPERM: 'no permission', EROFS: 'the file system is read-only' };

function whyNotWritable({ code, message }) {
  return NOT_WRITABLE[code] ?? message;
}

/** Why it cannot listen. */
export async function portProblem(values) {
  const running = runningInstance(dataDirOf(values));
  const port = Number(values.PORT);
  if (running && (!values.DATABASE_URL || (await listens(values.HOST, port)) === 'EADDRINUSE')) {
    return `Callsmith is already running: ${running.url} (pid ${running.pid})`;
  }
  const code = await listens(values.HOST, port);
  if (code === undefined) return undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use. Try PORT=${await freePortAfter(values.HOST, port)} npm start`;
  if (code === 'EACCES') return `Port ${port} needs root. Try PORT=4000 npm start`;
  return `HOST=${values.HOST} is not an address of this machine (${code})`;
}

async function freePortAfter(host, port) {
  for (let next = port + 1; next < Math.min(port + 50, 65536); next++)
    if ((await listens(host, next)) === undefined) return next;
  return 0;
}

/** The error code of listening there; undefined if it works. */
function listens(host, port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error) => resolve(error.code));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
