import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../product.ts';

/** A store that can be stopped and restarted with its data. */
export interface Store {
  readonly url: string;
  /** Kills it. */
  kill(): Promise<void>;
  /** Starts it again, and waits until it answers. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

const asRoot = process.getuid?.() === 0;

/** A program of Debian's newest PostgreSQL. Throws if none is installed. */
export function program(name: string): string {
  const versions = '/usr/lib/postgresql';
  const version = existsSync(versions) ? readdirSync(versions).sort().at(-1) : undefined;
  if (version === undefined) throw new Error('There is no PostgreSQL in /usr/lib/postgresql: run .ci/cluster.');
  return join(versions, version, 'bin', name);
}

/** PostgreSQL in a folder of its own. */
export async function startPostgres(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-postgres-'));
  // PostgreSQL does not run as root.
  if (asRoot) chownSync(folder, userId('-u'), userId('-g'));
  const run = (name: string, args: readonly string[]) => {
    const command = [program(name), ...args];
    const [file = '', ...rest] = asRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    execFileSync(file, rest, { cwd: folder, stdio: 'ignore' });
  };
  const port = await freePort();
  const data = join(folder, 'data');
  run('initdb', ['-D', data, '-U', 'callsmith', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']);
  const url = `postgresql://callsmith@127.0.0.1:${port}/postgres`;
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=200`;
  const stop = (mode: string) => run('pg_ctl', ['-D', data, '-m', mode, '-w', 'stop']);
  const orphaned = () => stop('immediate');
  const store: Store = {
    url,
    async kill() {
      process.off('exit', orphaned);
      stop('immediate');
    },
    async start() {
      run('pg_ctl', ['-D', data, '-l', join(folder, 'log'), '-w', '-t', '60', '-o', options, 'start']);
      process.once('exit', orphaned);
    },
    async remove() {
      process.off('exit', orphaned);
      stop('fast');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await store.start();
  return store;
}

const userId = (flag: '-u' | '-g'): number =>
  Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());

/** Redis with an append-only file, so that counts outlive a restart. Throws if it is not installed. */
export async function startRedis(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const end = async () => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null) return;
    await new Promise((done) => {
      running.once('exit', done);
      running.kill('SIGKILL');
    });
  };
  process.once('exit', () => child?.kill('SIGKILL'));
  const store: Store = {
    url: `redis://127.0.0.1:${port}`,
    kill: end,
    async start() {
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
      child = spawn('redis-server', [...options, '--appendonly', 'yes'], { stdio: 'ignore' });
      for (let tries = 0; ; tries++) {
        if (redisAnswers(port)) return;
        if (tries > 100) throw new Error('redis-server does not respond: run .ci/cluster.');
        await sleep(100);
      }
    },
    async remove() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await store.start();
  return store;
}

const redisAnswers = (port: number): boolean => {
  try {
    return execFileSync('redis-cli', ['-p', String(port), 'ping'], { encoding: 'utf8', stdio: 'pipe' }).includes(
      'PONG',
    );
  } catch {
    return false;
  }
};

/** Commands that Redis has executed since it started, and its current memory in bytes. */
export function redisFigures(url: string): { commands: number; bytes: number } {
  const info = execFileSync('redis-cli', ['-u', url, 'info'], { encoding: 'utf8' });
  const value = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  return { commands: value('total_commands_processed'), bytes: value('used_memory') };
}

/** Runs one query on PostgreSQL. */
export async function rows(url: string, query: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(query)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}
