import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { connect, UnusableDatabase } from './connect.ts';

/** The advisory lock that Prisma's own engine takes: gateways that start together apply each migration once. */
const LOCK = 72707369;

/** Prisma's own table, so that `prisma migrate` can continue from here, and vice versa. */
const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

interface Row {
  readonly migration_name: string;
  readonly finished_at: Date | null;
  readonly rolled_back_at: Date | null;
}

/**
 * How long a migration waits for a table's lock before it lets others pass, as a setting of PostgreSQL. Statements that
 * come later, also those of gateways in service, queue behind one that waits for an exclusive lock.
 */
const LOCK_TIMEOUT = '2s';
/** How long, in milliseconds, others pass before it tries again. */
const PAUSE_MS = 1000;
/** PostgreSQL's code for a lock that was not available in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Applies the missing migrations of `folder` (`<name>/migration.sql`, by name), each in one transaction, and returns
 * their names. A long query or transaction on a table that a migration changes is waited for, as long as it takes;
 * `onBlocked` is called with the migration's name before that. Throws `UnusableDatabase` for a database with only
 * foreign tables, for one whose last migration failed, and if it is unreachable.
 */
export async function migrate(
  databaseUrl: string,
  folder: string,
  onBlocked: (migration: string) => void = () => undefined,
): Promise<string[]> {
  const database = await connect(databaseUrl);
  try {
    await database.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await database.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
    await refuseForeign(database);
    await database.query(TABLE);
    const rows = await readRows(database);
    const failed = rows.find((row) => !row.finished_at && !row.rolled_back_at);
    if (failed) {
      throw new UnusableDatabase(
        `migration ${failed.migration_name} failed earlier: fix the cause, then run npx prisma migrate resolve --rolled-back ${failed.migration_name}`,
      );
    }
    const applied: string[] = [];
    for (const migration of await migrations(folder)) {
      if (isApplied(rows, migration.name)) continue;
      await apply(database, migration, onBlocked);
      applied.push(migration.name);
    }
    return applied;
  } finally {
    await database.end(); // releases the lock
  }
}

/** Names of the migrations in `folder` that the database lacks. Throws if the database is unreachable. */
export async function pendingMigrations(database: Pick<pg.Pool, 'query'>, folder: string): Promise<string[]> {
  const rows = await readRows(database);
  const all = await migrations(folder);
  return all.map(({ name }) => name).filter((name) => !isApplied(rows, name));
}

async function refuseForeign(database: pg.Client): Promise<void> {
  const { rows } = await database.query<{ name: string; database: string; ours: boolean }>(
    `SELECT table_schema || '.' || table_name AS name, current_database() AS database,
            to_regclass('_prisma_migrations') IS NOT NULL AND to_regclass('turn_body') IS NOT NULL AS ours
     FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_name <> '_prisma_migrations'
     ORDER BY 1 LIMIT 3`,
  );
  const first = rows[0];
  if (first === undefined || first.ours) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new UnusableDatabase(
    `the database "${first.database}" holds tables of something else (${names}, …) and none of Callsmith: give Callsmith a database of its own`,
  );
}

async function readRows(database: Pick<pg.Pool, 'query'>): Promise<Row[]> {
  const { rows } = await database.query<Row>(
    'SELECT migration_name, finished_at, rolled_back_at FROM _prisma_migrations ORDER BY started_at',
  );
  return rows;
}

function isApplied(rows: readonly Row[], name: string): boolean {
  return rows.some((row) => row.migration_name === name && row.finished_at !== null && row.rolled_back_at === null);
}

interface Migration {
  readonly name: string;
  readonly sql: string;
}

async function migrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({ name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  );
}

async function apply(
  database: pg.Client,
  { name, sql }: Migration,
  onBlocked: (migration: string) => void,
): Promise<void> {
  const id = randomUUID();
  const checksum = createHash('sha256').update(sql).digest('hex');
  await database.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksum,
    name,
  ]);
  try {
    for (let blocked = false; !(await applied(database, sql)); blocked = true) {
      if (!blocked) onBlocked(name);
      await setTimeout(PAUSE_MS);
    }
  } catch (error) {
    await database.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, String(error)]);
    throw error;
  }
  await database.query('UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1', [
    id,
  ]);
}

/** Runs a migration's statements. False: another transaction holds a lock that they need, and nothing was changed. */
async function applied(database: pg.Client, sql: string): Promise<boolean> {
  try {
    await database.query(sql); // simple protocol: many statements, one implicit transaction
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
