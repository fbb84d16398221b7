import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { EmbeddedLocation } from './location.ts';

/** A larger log is truncated. */
const LOG_BYTES = 10 * 1024 * 1024;

/** Maximum time for a start, including crash recovery. */
const START_MS = 60_000;

/**
 * Runs the server, and reads from a pipe that this process holds: when the pipe closes, however the process ended,
 * Postgres is told to shut down. Ends when the server ends.
 */
const KEEPER = `
exec 3<&0 0</dev/null
"$@" 3<&- & server=$!
{ read -r _ <&3; kill -INT $server; } & reader=$!
exec 3<&-
wait $server
kill $reader 2>/dev/null`;

/** A running Postgres. */
export interface Server {
  readonly port: number;
  /** Settles when the server has exited, for whatever reason. */
  readonly gone: Promise<void>;
  /** Shuts it down cleanly and waits until it has exited. */
  stop(): Promise<void>;
}

/**
 * Creates the files of a new database server at `place` unless they exist. An incomplete set never takes their place.
 */
export function initialize(binaries: string, place: EmbeddedLocation, password: string): void {
  if (existsSync(join(place.folder, 'PG_VERSION'))) return;
  const unfinished = `${place.folder}.new`;
  const passwordFile = `${unfinished}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' });
  if (place.account)
    for (const path of [unfinished, passwordFile]) chownSync(path, place.account.uid, place.account.gid);
  try {
    const args = [
      '-D',
      unfinished,
      '-U',
      'postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-instructions',
    ];
    const made = spawnSync(join(binaries, 'bin/initdb'), args, { ...place.account, cwd: '/', encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error ?? made.signal)}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(unfinished, place.folder);
}

/**
 * Starts the server and waits until it accepts connections, at most `connections`. `port` undefined: any free one.
 * `log`: file for its messages.
 */
export async function launch(
  binaries: string,
  place: EmbeddedLocation,
  { password, log, connections, port }: { password: string; log: string; connections: number; port?: number },
): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const chosen = port ?? (await freePort());
    const from = existsSync(log) ? statSync(log).size : 0;
    const child = run(binaries, place, { port: chosen, log, connections });
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (await takesConnections(child, urlOf(chosen, password)))
      return { port: chosen, gone, stop: () => stop(child, place, gone) };
    child.stdin?.end();
    await gone;
    const logText = readFileSync(log, 'utf8').slice(from);
    // Another process took the freed port; or children of a killed server have not exited yet.
    const passing =
      (port === undefined && /could not bind|Address already in use/i.test(logText)) || /still in use/.test(logText);
    if (!passing || attempt === 20)
      throw new Error(
        `Postgres did not start; its log (${log}) ends:\n${logText.trim().split('\n').slice(-20).join('\n')}`,
      );
    await sleep(250);
  }
}

/** The port of the server that runs on `folder` on this machine, as far as this process can see; undefined: none. */
export function runningOn(folder: string): { pid: number; port: number } | undefined {
  const lock = join(folder, 'postmaster.pid');
  if (!existsSync(lock)) return undefined;
  const [pid, , , port] = readFileSync(lock, 'utf8').split('\n').map(Number);
  return pid && port && isPostgres(pid) ? { pid, port } : undefined;
}

/**
 * Ends a server whose owner has exited: it gets time to end by itself, then a signal. The pid file of a killed server
 * is removed, because its pid may have been reused. Only for the holder of the folder's lock.
 */
export async function endOrphan(folder: string): Promise<void> {
  await endRunning(folder);
  rmSync(join(folder, 'postmaster.pid'), { force: true });
}

async function endRunning(folder: string): Promise<void> {
  for (let waited = 0; waited < START_MS; waited += 100) {
    const orphan = runningOn(folder);
    if (orphan === undefined) return;
    if (waited === 5_000) process.kill(orphan.pid, 'SIGINT');
    if (waited === 20_000) process.kill(orphan.pid, 'SIGQUIT');
    await sleep(100);
  }
  throw new Error(
    `the database server that runs on ${folder} did not stop: stop it by hand (its pid is in postmaster.pid there)`,
  );
}

/** The address of a database on a local server. */
export function urlOf(port: number, password: string, database = 'postgres'): string {
  return `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

function run(
  binaries: string,
  place: EmbeddedLocation,
  { port, log, connections }: { port: number; log: string; connections: number },
): ChildProcess {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${connections}`,
    'shared_buffers=64MB',
  ];
  const server = [
    join(binaries, 'bin/postgres'),
    '-D',
    place.folder,
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  if (existsSync(log) && statSync(log).size > LOG_BYTES) rmSync(log);
  const output = openSync(log, 'a', 0o600);
  const child = spawn('sh', ['-c', KEEPER, 'sh', ...server], {
    ...place.account,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    detached: true,
    stdio: ['pipe', output, output],
  });
  closeSync(output);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}

async function takesConnections(child: ChildProcess, url: string): Promise<boolean> {
  const until = Date.now() + START_MS;
  while (Date.now() < until && child.exitCode === null && child.signalCode === null) {
    if (await answers(url)) return true;
    await sleep(25);
  }
  return false;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function stop(child: ChildProcess, place: EmbeddedLocation, gone: Promise<void>): Promise<void> {
  child.ref();
  child.stdin?.end();
  const timer = setTimeout(() => {
    const server = runningOn(place.folder);
    if (server) process.kill(server.pid, 'SIGQUIT'); // recovers at the next start
  }, 5_000);
  await gone;
  clearTimeout(timer);
}

/** The process is a Postgres server, not another one with a reused pid. */
function isPostgres(pid: number): boolean {
  if (process.platform === 'linux') {
    const about = `/proc/${pid}/cmdline`;
    return existsSync(about) && readFileSync(about, 'utf8').split('\0', 1)[0]?.endsWith('postgres') === true;
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes('postgres');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
