import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@callsmith/testing';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { migrate, pendingMigrations } from './migrate.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let client: pg.Client;
let folder: string;

beforeEach(async () => {
  database = await testDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  folder = mkdtempSync(join(tmpdir(), 'migrations-'));
});

afterEach(async () => {
  await client.end();
  await database.stop();
  rmSync(folder, { recursive: true });
});

function migration(name: string, sql: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'migration.sql'), sql);
}

it('an unusable database is named, with what to do about it, without the password', async () => {
  const at = (change: (url: URL) => void): Promise<string> => {
    const url = new URL(database.url);
    change(url);
    return migrate(url.href, folder).then(
      () => 'migrated',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  };
  const { port } = new URL(database.url);
  const server = `127.0.0.1:${port} (DATABASE_URL)`;
  expect(
    await at((url) => {
      url.pathname = '/nowhere';
    }),
  ).toBe(`UnusableDatabase: There is no database "nowhere" at ${server}. Create it, e.g. by createdb nowhere.`);
  const refused = await at((url) => {
    url.username = 'nobody';
    url.password = 'not-this-one';
  });
  expect(refused).toContain(`UnusableDatabase: The database server at ${server} does not accept the user "nobody"`);
  expect(refused).not.toContain('not-this-one');
  expect(
    await at((url) => {
      url.port = '1';
    }),
  ).toBe(
    'UnusableDatabase: Callsmith cannot connect to the database at 127.0.0.1:1 (DATABASE_URL): connect ECONNREFUSED 127.0.0.1:1',
  );
});

describe('an empty database', () => {
  beforeEach(() => client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));

  it('gets every migration once, in the order of their names', async () => {
    migration('0002_second', 'INSERT INTO turn_body VALUES (1); INSERT INTO turn_body VALUES (2);');
    migration('0001_first', 'CREATE TABLE turn_body (n int);');
    expect(await migrate(database.url, folder)).toEqual(['0001_first', '0002_second']);
    expect(await migrate(database.url, folder)).toEqual([]);
    expect((await client.query('SELECT n FROM turn_body')).rows).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('gets every migration once from gateways that start together', async () => {
    migration('0001_first', 'CREATE TABLE turn_body (n int);');
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(database.url, folder)));
    expect(applied.flat()).toEqual(['0001_first']);
  });

  it('keeps nothing of a migration that fails half-way, and says at the next start what to do', async () => {
    migration('0001_first', 'CREATE TABLE turn_body (n int); SELECT 1 / 0;');
    await expect(migrate(database.url, folder)).rejects.toThrow('division by zero');
    expect((await client.query("SELECT to_regclass('turn_body') AS there")).rows).toEqual([{ there: null }]);
    await expect(migrate(database.url, folder)).rejects.toThrow(/0001_first failed earlier.*--rolled-back 0001_first/);
  });
});

it('a database with other tables is refused by name and stays as it is', async () => {
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE invoices (id int)');
  await expect(migrate(database.url, folder)).rejects.toThrow(
    /"test_\w+" holds tables of something else \(public\.invoices/,
  );
  expect((await client.query("SELECT to_regclass('_prisma_migrations') AS there")).rows).toEqual([{ there: null }]);
});

it('a migration waits for a long query, but nobody waits behind it', async () => {
  await client.query('BEGIN; SELECT count(*) FROM team');
  migration('9999_later', 'ALTER TABLE team ADD COLUMN later int');
  const blocked: string[] = [];
  const done = migrate(database.url, folder, (name) => blocked.push(name));
  await vi.waitFor(async () => expect(await waiting(client)).toBe(1), 10_000);
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  // It reads the table while the migration still wants it.
  await other.query('SELECT count(*) FROM team');
  await other.end();
  await vi.waitFor(() => expect(blocked).toEqual(['9999_later']), 10_000);
  await client.query('COMMIT');
  expect(await done).toEqual(['9999_later']);
  expect(blocked).toEqual(['9999_later']);
  expect((await client.query('SELECT later FROM team')).fields).toHaveLength(1);
});

/** How many transactions of this database wait for a lock of a table. */
async function waiting(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()',
  );
  return rows[0]?.count ?? 0;
}

it('other tables beside ours do no harm', async () => {
  await client.query('CREATE TABLE invoices (id int)');
  expect(await migrate(database.url, folder)).toEqual([]);
});

it('lists the migrations that a database lacks', async () => {
  const pool = new pg.Pool({ connectionString: database.url });
  const ours = join(import.meta.dirname, '../../../../prisma/migrations');
  expect(await pendingMigrations(pool, ours)).toEqual([]);
  migration('9999_later', 'SELECT 1');
  expect(await pendingMigrations(pool, folder)).toEqual(['9999_later']);
  await pool.end();
});
