import { testDatabase } from '@callsmith/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPrisma, type PrismaService } from './database/prisma.ts';
import { insertRows } from './record/insert.ts';
import { rowsOf, testTurn } from './record/test-turns.ts';
import { clearExpired, pruneRecord } from './retention.ts';
import { rollUp } from './rollup/roll-up.ts';
import { listTurns } from './turns/list.ts';
import { bodyOf } from './turns/show.ts';

const DAY = 86_400_000;
let database: Awaited<ReturnType<typeof testDatabase>>;
let prisma: PrismaService;
let pool: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma(database.url);
  pool = new pg.Pool({ connectionString: database.url, options: '-c TimeZone=UTC' });
});
afterAll(async () => {
  await prisma.$disconnect();
  await pool.end();
  await database.stop();
});

it('bodies and turns are dropped after separate periods, by whole days', async () => {
  const now = new Date();
  const body = { clientRequest: '{}', upstreamRequest: null, raw: [], delivered: null, notes: [], settings: {} };
  const turns = [0, 3, 20].map((days) => testTurn({ at: new Date(now.getTime() - days * DAY), body }));
  await pool.query('SELECT make_days($1, $2)', [new Date(now.getTime() - 20 * DAY), now]);
  await insertRows(
    pool,
    turns.map((turn) => rowsOf(turn, '1')),
  );
  await rollUp(prisma);
  await pruneRecord(prisma, { bodyDays: 2, turnDays: 10 }, now);
  const left = await listTurns(
    prisma,
    { from: new Date(0), to: new Date(now.getTime() + DAY) },
    { before: undefined, limit: 10 },
  );
  expect(left.map(({ id }) => id)).toEqual(turns.slice(0, 2).map(({ id }) => id));
  expect(await Promise.all(turns.map(async ({ id }) => (await bodyOf(prisma, id)) !== null))).toEqual([
    true,
    false,
    false,
  ]);
  const days = await prisma.$queryRaw<{ table: string; days: number }[]>`
    SELECT inhparent::regclass::text AS table, count(*)::int AS days FROM pg_inherits JOIN pg_class ON oid = inhparent
    WHERE relkind = 'p' GROUP BY 1 ORDER BY 1`;
  expect(days).toEqual([
    { table: 'call', days: 11 },
    { table: 'turn', days: 11 },
    { table: 'turn_body', days: 3 },
  ]);
});

it('trials are deleted with the turns they tried, and a silent one is ended', async () => {
  const now = new Date();
  await prisma.model.create({ data: { id: 'model_tried', name: 'tried' } });
  const trial = { modelId: 'model_tried', actor: 'user_1', strategy: 'prompt', dialect: 'auto', rows: [] };
  const ago = (days: number) => new Date(now.getTime() - days * DAY);
  await prisma.trial.createMany({
    data: [
      { ...trial, id: 'trial_old', at: ago(11), state: 'done' },
      { ...trial, id: 'trial_silent', at: ago(1), state: 'running', beatAt: ago(1) },
    ],
  });
  await pruneRecord(prisma, { bodyDays: 2, turnDays: 10 }, now);
  await clearExpired(prisma, now);
  expect(await prisma.trial.findMany({ select: { id: true, state: true } })).toEqual([
    { id: 'trial_silent', state: 'failed' },
  ]);
});

it('days are created once, concurrently too, and foreign tables are never dropped', async () => {
  const made = await Promise.all(
    Array.from({ length: 4 }, () => pool.query(`SELECT make_days('2031-01-01', '2031-01-03') AS made`)),
  );
  expect(made.map(({ rows }) => rows[0].made).sort()).toEqual([0, 0, 0, 9]);
  await expect(pool.query(`SELECT drop_days('team', '2031-01-03')`)).rejects.toThrow('not a table with days');
});

it('a row of a day without a partition is refused: there is no default partition', async () => {
  await expect(
    pool.query(
      `INSERT INTO call (turn_id, at, n, tool, outcome, bytes) VALUES (gen_random_uuid(), '2040-01-01', 0, 'x', 'clean', 0)`,
    ),
  ).rejects.toThrow('no partition');
});

it('expired rows are removed, the rest stays', async () => {
  const past = new Date(Date.now() - 8 * DAY);
  const future = new Date(Date.now() + DAY);
  await prisma.counter.createMany({
    data: [
      { name: 'a', window: past, value: 1n, expiresAt: past },
      { name: 'b', window: past, value: 1n, expiresAt: future },
    ],
  });
  await prisma.oneTimeLink.createMany({
    data: [
      { hash: 'a', kind: 'invite', expiresAt: past },
      { hash: 'b', kind: 'invite', expiresAt: future },
    ],
  });
  await clearExpired(prisma);
  expect((await prisma.counter.findMany()).map(({ name }) => name)).toEqual(['b']);
  expect((await prisma.oneTimeLink.findMany()).map(({ hash }) => hash)).toEqual(['b']);
});
