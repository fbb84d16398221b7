import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@callsmith/testing';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate, pendingMigrations } from './migrate.ts';
import { createPrisma } from './prisma.ts';

const all = join(import.meta.dirname, '../../../../prisma/migrations');
const names = readdirSync(all)
  .filter((name) => /^\d/.test(name))
  .sort();

let database: Awaited<ReturnType<typeof testDatabase>>;
let client: pg.Client;
let folder: string;

beforeEach(async () => {
  database = await testDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  folder = mkdtempSync(join(tmpdir(), 'migrations-'));
});
afterEach(async () => {
  await client.end();
  await database.stop();
  rmSync(folder, { recursive: true });
});

/** Adds the folders of some migrations to those of the previous version. */
function shipped(some: readonly string[]): void {
  for (const name of some) {
    mkdirSync(join(folder, name));
    copyFileSync(join(all, name, 'migration.sql'), join(folder, name, 'migration.sql'));
  }
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly array: boolean;
}

/** The columns of every table, except the migrations' own. */
async function columns(): Promise<Map<string, Column[]>> {
  const { rows } = await client.query<Column>(`
    SELECT class.relname AS table, attname AS name, format_type(coalesce(nullif(typelem, 0), typ.oid), NULL) AS type,
           typcategory = 'A' AS array
    FROM pg_class AS class
    JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    JOIN pg_type AS typ ON typ.oid = atttypid
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> '_prisma_migrations'
    ORDER BY class.relname, attnum`);
  const byTable = new Map<string, Column[]>();
  for (const row of rows) byTable.set(row.table, [...(byTable.get(row.table) ?? []), row]);
  return byTable;
}

const DAY = '2026-11-20T12:00:00Z';

/** Columns that are empty if another has a value: a view is a user's or a team's. */
const EMPTY: ReadonlySet<string> = new Set(['saved_view.user_id']);

/** A value for a column of any type. */
function valueFor({ table, name, type, array }: Column): unknown {
  if (EMPTY.has(`${table}.${name}`)) return null;
  const one = type.startsWith('timestamp')
    ? DAY
    : type === 'date'
      ? DAY.slice(0, 10)
      : type === 'boolean'
        ? true
        : /^(?:small|big)?int|^numeric|^double|^real/.test(type)
          ? 1
          : type.startsWith('json')
            ? '{}'
            : type === 'uuid'
              ? '00000000-0000-4000-8000-000000000000'
              : type === 'bytea'
                ? Buffer.from('x')
                : 'x';
  return array ? [one] : one;
}

/** A row in every table, with references to each other's ids. */
async function fill(): Promise<void> {
  await client.query("SELECT make_days('2026-11-20'::date, '2026-11-20'::date)");
  await client.query("SET session_replication_role = 'replica'");
  for (const [table, list] of await columns()) {
    const places = list.map((_, at) => `$${at + 1}`);
    await client.query(
      `INSERT INTO "${table}" (${list.map(({ name }) => `"${name}"`)}) VALUES (${places}) ON CONFLICT DO NOTHING`,
      list.map(valueFor),
    );
  }
  await client.query("SET session_replication_role = 'origin'");
}

/** Rows by table. */
async function counts(tables: Iterable<string>): Promise<Record<string, number>> {
  const entries: [string, number][] = [];
  for (const table of tables) {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM "${table}"`);
    entries.push([table, rows[0]?.count ?? 0]);
  }
  return Object.fromEntries(entries);
}

it.each(names.slice(0, -1).map((name, at) => [name, at] as const))(
  'a database of the version that ended with %s is migrated with its data, and read by this version',
  async (_, at) => {
    shipped(names.slice(0, at + 1));
    await migrate(database.url, folder);
    await fill();
    const tables = [...(await columns()).keys()];
    const before = await counts(tables);
    expect(Object.values(before).every((count) => count >= 1)).toBe(true);

    shipped(names.slice(at + 1));
    expect(await migrate(database.url, folder)).toEqual(names.slice(at + 1));
    expect(await pendingMigrations({ query: client.query.bind(client) }, folder)).toEqual([]);
    const kept = (await columns()).keys();
    const after = await counts(kept);
    for (const [table, count] of Object.entries(before)) expect(after[table], table).toBeGreaterThanOrEqual(count);

    const prisma = createPrisma(database.url, 1);
    const [team, key, upstream, model] = await Promise.all([
      prisma.team.findFirst(),
      prisma.apiKey.findFirst(),
      prisma.upstream.findFirst(),
      prisma.model.findFirst(),
    ]);
    expect([team, key, upstream, model]).toMatchObject(Array.from({ length: 4 }, () => ({ id: 'x' })));
    await prisma.$disconnect();
  },
  30_000,
);
