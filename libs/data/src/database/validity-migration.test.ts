import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testDatabase } from '@callsmith/testing';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../../../prisma/migrations');
const own = '20261122200000_validity';

let database: Awaited<ReturnType<typeof testDatabase>>;
let client: pg.Client;

const apply = (name: string) => client.query(readFileSync(join(folder, name, 'migration.sql'), 'utf8'));

/** A database from before calls were validated. */
beforeEach(async () => {
  database = await testDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const before = readdirSync(folder).filter((name) => /^\d/.test(name) && name < own);
  for (const name of before.sort()) await apply(name);
});

afterEach(async () => {
  await client.end();
  await database.stop();
});

const rollup = (grain: string, name: string) =>
  client.query(
    `INSERT INTO finding_rollup (grain, bucket, team_id, model_id, upstream_id, strategy_used, class, rule, count)
     VALUES ($1, '2026-11-01T10:00Z', 't', 'm', 'u', 'native', $2, '', 3)`,
    [grain, name],
  );

it('D-46 earlier records are found by the new names, and count no call as invalid', async () => {
  await rollup('minute', 'EmptyTurn');
  await rollup('hour', 'InvalidJson');
  await client.query(`
    INSERT INTO turn_rollup (grain, bucket, team_id, key_id, model_id, upstream_id, strategy_used, dialect, client,
      turns, clean, repaired, failed, "none", errors, input_tokens, output_tokens, cached_tokens, injected_tokens,
      added, first_token)
    VALUES ('minute', '2026-11-01T10:00Z', 't', 'k', 'm', 'u', 'native', 'hermes', 'cline',
      5, 3, 1, 1, 0, 0, 1, 1, 0, 0, '{}', '{}')`);
  await apply(own);
  const { rows: classes } = await client.query('SELECT class FROM finding_rollup ORDER BY class');
  expect(classes.map((row) => row.class)).toEqual(['EmptyAnswer', 'InvalidJson']);
  const { rows: sums } = await client.query('SELECT clean, invalid, failed FROM turn_rollup');
  expect(sums).toEqual([{ clean: 3, invalid: 0, failed: 1 }]);
  const { rows: since } = await client.query("SELECT value FROM setting WHERE name = 'validity-since'");
  expect(Date.now() - Date.parse(since[0].value)).toBeLessThan(600_000);
});

it('a new installation has checked all its calls', async () => {
  await apply(own);
  const { rows } = await client.query("SELECT value FROM setting WHERE name = 'validity-since'");
  expect(rows).toEqual([]);
});
