import type pg from 'pg';
import { Prisma } from '../generated/prisma/client.ts';
import { connect, UnusableDatabase } from './connect.ts';
import { pendingMigrations } from './migrate.ts';

/** Names of all tables, e.g. `api_key` for the model `ApiKey`. */
const tables = Object.values(Prisma.ModelName).map((name) =>
  name.replace(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
);

/**
 * Throws `UnusableDatabase` for a database into which a backup was only partly restored; `folder`: of the migrations.
 * Dumps contain tables first, then rows, then primary keys, so that an interrupted restore lacks tables or keys; one
 * without some tables lacks those, or the rows of the settings, which every installation has.
 */
export async function refuseHalfRestore(databaseUrl: string, folder: string): Promise<void> {
  const database = await connect(databaseUrl);
  try {
    const found = await tablesIn(database);
    const missing = [
      ...found.filter(({ keyed }) => !keyed).map(({ name }) => `the primary key of ${name}`),
      ...(await missingTables(database, folder, found)),
      ...(await missingRows(database, found)),
    ];
    if (missing.length === 0) return;
    const more = missing.length > 3 ? ` and ${missing.length - 3} more` : '';
    throw new UnusableDatabase(
      `The database "${database.database}" holds a part of a backup: ${missing.slice(0, 3).join(', ')}${more} is missing. Restore the whole backup into an empty database, e.g. by pg_restore --exit-on-error --single-transaction.`,
    );
  } finally {
    await database.end();
  }
}

interface FoundTable {
  readonly name: string;
  readonly keyed: boolean;
}

/** The existing tables of Callsmith. In a database without Prisma's own table they are foreign: none. */
async function tablesIn(database: pg.Client): Promise<readonly FoundTable[]> {
  const { rows } = await database.query<FoundTable>(
    `SELECT c.relname AS name, EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary) AS keyed
     FROM pg_class c
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = to_regnamespace(current_schema())
       AND c.relname = ANY ($1) AND to_regclass('_prisma_migrations') IS NOT NULL
     ORDER BY 1`,
    [['_prisma_migrations', ...tables]],
  );
  return rows;
}

/** Only a database with every migration has every table. */
async function missingTables(database: pg.Client, folder: string, found: readonly FoundTable[]): Promise<string[]> {
  if (found.length === 0 || (await pendingMigrations(database, folder)).length > 0) return [];
  return tables.filter((table) => !found.some(({ name }) => name === table)).map((table) => `the table ${table}`);
}

async function missingRows(database: pg.Client, found: readonly FoundTable[]): Promise<string[]> {
  const has = (table: string) => found.some(({ name }) => name === table);
  if (!has('team') || !has('setting')) return [];
  const { rows } = await database.query<{ lost: boolean }>(
    'SELECT EXISTS (SELECT FROM team) AND NOT EXISTS (SELECT FROM setting) AS lost',
  );
  return rows[0]?.lost ? ['what the table setting held'] : [];
}
