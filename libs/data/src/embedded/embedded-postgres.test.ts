import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmbeddedPostgres, runningEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { runningOn } from './server.ts';

let dataDir: string;
let started: EmbeddedPostgres[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'embedded-'));
  chmodSync(dataDir, 0o755);
  started = [];
});

afterEach(async () => {
  for (const postgres of started) await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres(dataDir);
  started.push(postgres);
  return postgres;
}

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

it('takes the connections of all processes that are to use it', async () => {
  const postgres = await startEmbeddedPostgres(dataDir, 64);
  started.push(postgres);
  const [row] = (await query(postgres.url, "SELECT current_setting('max_connections')::int AS most")) as [
    { most: number },
  ];
  expect(row.most).toBeGreaterThan(64 * 12);
});

it('keeps its rows over a stop and a second start', async () => {
  const first = await start();
  await query(first.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
  await first.stop();
  expect(runningEmbeddedPostgres(dataDir)).toBeUndefined();
  const second = await start();
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  expect(runningEmbeddedPostgres(dataDir)).toBe(second.url);
});

it('asks for the password, which only its owner can read, and listens on this machine only', async () => {
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

it('a server that is killed comes back on the same port with every committed row', async () => {
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

it('a lock left by a server that was killed does not stop the next start, even if its pid went to another process', async () => {
  const first = await start();
  const { folder } = first;
  await first.stop();
  const lock = join(folder, 'postmaster.pid');
  writeFileSync(lock, `${process.pid}\n${folder}\n1\n5432\n\n127.0.0.1\n`);
  const second = await start();
  expect(await query(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

it('an initdb that was cut off is begun anew', async () => {
  mkdirSync(join(dataDir, 'postgres.new', 'base'), { recursive: true });
  const { url } = await start();
  expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

it('says which file is missing when the password is gone', async () => {
  const first = await start();
  await first.stop();
  rmSync(join(dataDir, 'postgres-password'));
  await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(/postgres-password is gone/);
});

it('tells the server’s own words when it cannot start', async () => {
  const first = await start();
  await first.stop();
  rmSync(join(first.folder, 'global', 'pg_control'));
  await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(/pg_control/);
});

/** A process of its own that starts the database and then inserts row after row, telling each committed one. */
function writer(): ChildProcess {
  const script = join(import.meta.dirname, 'write-rows.ts');
  const run = join(import.meta.dirname, '../../../../tools/run.mjs');
  return spawn(process.execPath, [run, script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
}

it.each([
  ['its process alone', (pid: number, _folder: string) => process.kill(pid, 'SIGKILL')],
  [
    'its process and the server',
    (pid: number, folder: string) => {
      const server = runningOn(folder)?.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      process.kill(server, 'SIGKILL');
    },
  ],
])('after kill -9 of %s the next start works and no committed row is lost', async (_what, kill) => {
  const child = writer();
  let told = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  await until(() => told.split('\n').length > 50);
  const folder = existsSync(join(dataDir, 'postgres')) ? join(dataDir, 'postgres') : '';
  kill(child.pid ?? 0, folder);
  await once(child, 'close');
  const last = Number(told.trimEnd().split('\n').at(-1));
  const { url } = await start();
  const [row] = (await query(url, 'SELECT count(*)::int AS n, max(n) AS last FROM rows')) as {
    n: number;
    last: number;
  }[];
  expect(row?.n).toBe(row?.last);
  expect(row?.last).toBeGreaterThanOrEqual(last);
});
