import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { type EmbeddedPostgres, runningEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { DatabaseInUse } from './folder-lock.ts';
import { runningOn } from './server.ts';

type Start = (options?: Parameters<typeof startEmbeddedPostgres>[1]) => Promise<EmbeddedPostgres>;

/** Each test has a folder of its own, and starts its servers in it. */
const it = test.extend<{ dataDir: string; start: Start }>({
  // biome-ignore lint/correctness/noEmptyPattern: what a fixture needs is read from its first parameter
  dataDir: async ({}, use) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'embedded-'));
    chmodSync(dataDir, 0o755); // as root, the database server runs under another account
    await use(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  },
  start: async ({ dataDir }, use) => {
    const started: EmbeddedPostgres[] = [];
    await use(async (options) => {
      const postgres = await startEmbeddedPostgres(dataDir, options);
      started.push(postgres);
      return postgres;
    });
    for (const postgres of started) await postgres.stop();
  },
});

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const postmaster = (folder: string) => Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await holds()) return;
    await sleep(50);
  }
  throw new Error('waited in vain');
}

it('accepts the connections of all processes that use it', async ({ start }) => {
  const postgres = await start({ gateways: 64 });
  const [row] = (await query(postgres.url, "SELECT current_setting('max_connections')::int AS most")) as [
    { most: number },
  ];
  expect(row.most).toBeGreaterThan(64 * 12);
});

it('keeps its rows over a stop and a second start', async ({ dataDir, start }) => {
  const first = await start();
  await query(first.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
  await first.stop();
  expect(runningEmbeddedPostgres(dataDir)).toBeUndefined();
  const second = await start();
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  expect(runningEmbeddedPostgres(dataDir)).toBe(second.url);
});

it('requires the password, which only its owner can read, and listens on this machine only', async ({
  dataDir,
  start,
}) => {
  const { url } = await start();
  const wrong = new URL(url);
  wrong.password = 'guess';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
  expect(await query(url, 'SELECT DISTINCT auth_method FROM pg_hba_file_rules')).toEqual([
    { auth_method: 'scram-sha-256' },
  ]);
  expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
});

it('a killed server restarts on the same port with every committed row', async ({ start }) => {
  const { url, folder } = await start();
  await query(url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
  process.kill(postmaster(folder), 'SIGKILL');
  await until(() =>
    query(url, 'SELECT n FROM kept').then(
      (rows) => rows.length === 1,
      () => false,
    ),
  );
});

it('a lock left by a killed server does not stop the next start, even if its pid was reused', async ({ start }) => {
  const first = await start();
  const { folder } = first;
  await first.stop();
  const lock = join(folder, 'postmaster.pid');
  writeFileSync(lock, `${process.pid}\n${folder}\n1\n5432\n\n127.0.0.1\n`);
  const second = await start();
  expect(await query(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

it('an interrupted initdb is started again', async ({ dataDir, start }) => {
  mkdirSync(join(dataDir, 'postgres.new', 'base'), { recursive: true });
  const { url } = await start();
  expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

it('names the missing file when the password is gone', async ({ dataDir, start }) => {
  const first = await start();
  await first.stop();
  rmSync(join(dataDir, 'postgres-password'));
  await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(/postgres-password is missing/);
});

it('quotes the server’s own error when it cannot start', async ({ dataDir, start }) => {
  const first = await start();
  await first.stop();
  rmSync(join(first.folder, 'global', 'pg_control'));
  await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(/pg_control/);
});

/**
 * A separate process that starts the database and then inserts row after row, printing each committed one. `inside`: a
 * command that runs it, with its arguments.
 */
function writer(dataDir: string, inside: readonly string[] = []): ChildProcess {
  const script = join(import.meta.dirname, 'write-rows.ts');
  const run = join(import.meta.dirname, '../../../../tools/run.mjs');
  const [program = '', ...args] = [...inside, process.execPath, run, script, dataDir];
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

it('D-41 a second start on the same folder is refused, and the first continues', async ({ dataDir, start }) => {
  const first = await start();
  await query(first.url, 'CREATE TABLE kept (n int)');
  await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(DatabaseInUse);
  await query(first.url, 'INSERT INTO kept VALUES (1)');
  expect(runningEmbeddedPostgres(dataDir)).toBe(first.url);
  await first.stop();
  const second = await start();
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
});

/** Runs a command as a container would: with its own process ids. */
const ownProcessIds = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
const [unshare, ...unshareArgs] = ownProcessIds as [string, ...string[]];
const canUnshare = spawnSync(unshare, [...unshareArgs, 'true']).status === 0;

it.skipIf(!canUnshare)(
  'D-41 so is a start that cannot see the process ids of the first, as in another container',
  async ({ dataDir, start }) => {
    const first = await start();
    await query(first.url, 'CREATE TABLE rows (n int); INSERT INTO rows VALUES (1)');
    const second = writer(dataDir, ownProcessIds);
    let errors = '';
    second.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    await once(second, 'close');
    expect(errors).toContain('is in use by another Callsmith');
    expect(existsSync(join(first.folder, 'postmaster.pid'))).toBe(true);
    await query(first.url, 'INSERT INTO rows VALUES (2)');
    expect(await query(first.url, 'SELECT n FROM rows ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
  },
);

it('D-41 looking for a running server removes nothing, whatever process id is there', async ({ dataDir, start }) => {
  const first = await start();
  await first.stop();
  const note = join(first.folder, 'postmaster.pid');
  writeFileSync(note, `${process.pid}\n${first.folder}\n1\n5432\n\n127.0.0.1\n`);
  expect(runningEmbeddedPostgres(dataDir)).toBeUndefined();
  expect(existsSync(note)).toBe(true);
});

// They wait most of their time, until the lock of the killed process is stale.
it.concurrent.for([
  { what: 'its process alone', kill: (pid: number) => process.kill(pid, 'SIGKILL') },
  {
    what: 'its process and the server',
    kill: (pid: number, folder: string) => {
      const server = runningOn(folder)?.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      process.kill(server, 'SIGKILL');
    },
  },
])(
  'after kill -9 of $what the next start works and no committed row is lost',
  { timeout: 60_000 },
  async ({ kill }, { dataDir, start }) => {
    const child = writer(dataDir);
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await until(() => output.split('\n').length > 50);
    const folder = existsSync(join(dataDir, 'postgres')) ? join(dataDir, 'postgres') : '';
    kill(child.pid ?? 0, folder);
    await once(child, 'close');
    const last = Number(output.trimEnd().split('\n').at(-1));
    const { url } = await start();
    const [row] = (await query(url, 'SELECT count(*)::int AS n, max(n) AS last FROM rows')) as {
      n: number;
      last: number;
    }[];
    expect(row?.n).toBe(row?.last);
    expect(row?.last).toBeGreaterThanOrEqual(last);
  },
);
