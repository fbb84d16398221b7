import { join } from 'node:path';
import { testDatabase } from '@callsmith/testing';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { refuseHalfRestore } from './refuse-half-restore.ts';

const folder = join(import.meta.dirname, '../../../../prisma/migrations');
let database: Awaited<ReturnType<typeof testDatabase>>;
let client: pg.Client;

beforeEach(async () => {
  database = await testDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.stop();
});

const refused = () => refuseHalfRestore(database.url, folder);
const emptied = () => client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');

it('a complete database passes, and so do an empty one and a foreign one', async () => {
  await refused();
  await emptied();
  await refused();
  await client.query('CREATE TABLE team (id int)');
  await refused();
});

it('a restore without a table is refused by that table’s name', async () => {
  await client.query('DROP TABLE mcp_grant');
  await expect(refused()).rejects.toThrow(/holds a part of a backup: the table mcp_grant is missing/);
});

it('a restore that was interrupted before its keys is refused, however much of it was done', async () => {
  await client.query('ALTER TABLE webhook DROP CONSTRAINT webhook_pkey CASCADE');
  await expect(refused()).rejects.toThrow(/the primary key of webhook is missing.*Restore the whole backup/s);
});

it('a restore without the rows of the settings is refused', async () => {
  await client.query("INSERT INTO team (id, name) VALUES ('team_1', 'Ours')");
  await expect(refused()).rejects.toThrow('what the table setting held is missing');
  await client.query("INSERT INTO setting (name, value) VALUES ('directory.version', '1')");
  await refused();
});

it('a database that an older version has migrated lacks no table', async () => {
  await client.query(
    `DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations);
     DROP TABLE mcp_grant`,
  );
  await refused();
});
