import pg from 'pg';
import { pendingMigrations } from './migrate.ts';

/** The state of a PostgreSQL database. */
export interface DatabaseState {
  /** e.g. `180004`: the server's version as a number. */
  readonly version: number;
  /** Names of the missing migrations; undefined: it has no tables at all. */
  readonly pending: readonly string[] | undefined;
  /** How far its clock is ahead of this machine's, in milliseconds. */
  readonly aheadMs: number;
  /** Open connections, and the maximum. */
  readonly connections: { readonly open: number; readonly most: number };
}

const TIMEOUT_MS = 5_000;

/** Inspects a database without changing it; `folder`: of the migrations. Throws if it is unreachable. */
export async function inspectDatabase(databaseUrl: string, folder: string): Promise<DatabaseState> {
  const database = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  await database.connect();
  try {
    const startedAt = Date.now();
    const { rows } = await database.query<{ version: number; at: Date; open: number; most: number; set: boolean }>(
      `SELECT current_setting('server_version_num')::int AS version, clock_timestamp() AS at,
              (SELECT count(*)::int FROM pg_stat_activity) AS open, current_setting('max_connections')::int AS most,
              to_regclass('_prisma_migrations') IS NOT NULL AS set`,
    );
    const middle = (startedAt + Date.now()) / 2;
    const { version, at, open, most, set } = rows[0]!;
    const pending = set ? await pendingMigrations(database, folder) : undefined;
    return { version, pending, aheadMs: at.getTime() - middle, connections: { open, most } };
  } finally {
    await database.end();
  }
}
