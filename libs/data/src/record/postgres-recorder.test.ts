import { forwarder, testDatabase } from '@callsmith/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createPrisma, type PrismaService } from '../database/prisma.ts';
import { newTurnId, turnTime } from '../ids.ts';
import { DEFAULT_SETTINGS } from '../settings/installation-settings.ts';
import { PostgresRecorder, type RecorderOptions } from './postgres-recorder.ts';
import { Sampling } from './sampling.ts';
import { failedTurn, testCall, testTurn } from './test-turns.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let line: Awaited<ReturnType<typeof forwarder>>;
let prisma: PrismaService;
const open: PostgresRecorder[] = [];

beforeAll(async () => {
  database = await testDatabase();
  line = await forwarder(database.url);
  prisma = createPrisma(database.url);
});
afterEach(async () => {
  line.restore();
  await Promise.all(open.splice(0).map((recorder) => recorder.stop()));
});
afterAll(async () => {
  await prisma.$disconnect();
  await line.stop();
  await database.stop();
});

function recorder(options: Partial<RecorderOptions> = {}): PostgresRecorder {
  const made = new PostgresRecorder({
    databaseUrl: line.url,
    productVersion: '1.2.3',
    settings: () => DEFAULT_SETTINGS,
    gatherMs: 20,
    ...options,
  });
  open.push(made);
  return made;
}

async function written(made: PostgresRecorder): Promise<void> {
  for (let tries = 0; made.state.queued > 0; tries++) {
    if (tries > 1_000) throw new Error(`not written: ${JSON.stringify(made.state)}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

it('D-27 writes turn, calls and body; a missing day is created on demand', async () => {
  expect(await prisma.$queryRaw`SELECT 1 FROM pg_inherits WHERE inhparent = 'turn'::regclass`).toEqual([]);
  const made = recorder();
  const turn = failedTurn({
    errorMessage: 'key sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz is wrong',
    calls: [
      testCall({ outcome: 'failed', classes: ['InvalidJson', 'Truncated'], rules: ['close-brackets'], shape: 's' }),
    ],
    body: {
      clientRequest: '{"messages":[{"content":"\0 \ud83d"}]}',
      upstreamRequest: null,
      raw: [{ choice: 0, text: 'x😀\0', reasoning: '', cuts: [1, 3], fragments: [] }],
      delivered: null,
      notes: [{ stage: 'parse', class: 'InvalidJson', range: [0, 1] }],
      settings: { strategy: { value: 'auto', source: 'default' } },
    },
  });
  made.add(turn);
  await written(made);
  expect(made.state).toEqual({ queued: 0, lost: 0, awaySince: undefined, diskFull: false, problem: undefined });
  const row = await prisma.turn.findFirstOrThrow({ where: { id: turn.id } });
  expect(row).toMatchObject({
    at: turnTime(turn.id),
    outcome: 'failed',
    classes: ['InvalidJson'],
    calls: 1,
    productVersion: '1.2.3',
    stored: true,
  });
  expect(row.inputTokens).toBe(100n);
  expect(row.errorMessage).toBe(`key ${'•'.repeat(34)} is wrong`);
  const [call] = await prisma.call.findMany({ where: { turnId: turn.id } });
  expect(call).toMatchObject({
    classes: ['InvalidJson', 'Truncated'],
    rules: ['close-brackets'],
    at: turnTime(turn.id),
  });
  const body = await prisma.turnBody.findFirstOrThrow({ where: { turnId: turn.id } });
  expect(body.raw).toEqual([{ choice: 0, text: 'x😀\uFFFD', reasoning: '', cuts: [1, 3], fragments: [] }]);
  expect(body.delivered).toBeNull();
  const days = await prisma.$queryRaw<unknown[]>`SELECT 1 FROM pg_inherits WHERE inhparent = 'turn'::regclass`;
  expect(days).toHaveLength(1);
});

it('marks the buckets that need an update', async () => {
  const marks = await prisma.rollupMark.findMany({ orderBy: { grain: 'asc' } });
  expect(marks.map(({ grain }) => grain)).toEqual(['hour', 'minute']);
});

it('a batch that is sent twice is stored once', async () => {
  const made = recorder();
  const turn = testTurn();
  made.add(turn);
  made.add(turn);
  await written(made);
  expect(await prisma.turn.count({ where: { id: turn.id } })).toBe(1);
});

it('waits while Postgres is unreachable, and loses nothing within its queue size', async () => {
  const made = recorder();
  const before = await prisma.turn.count();
  line.cut();
  for (let n = 0; n < 500; n++) made.add(testTurn());
  await expect.poll(() => made.state.awaySince, { timeout: 10_000 }).toBeInstanceOf(Date);
  expect(made.state.queued).toBe(500);
  line.restore();
  await written(made);
  expect(made.state.lost).toBe(0);
  expect(made.state.awaySince).toBeUndefined();
  expect(await prisma.turn.count()).toBe(before + 500);
});

it('a full queue drops and counts; oversized bodies are left out', async () => {
  line.cut();
  const made = recorder({ capacity: 10, capacityUnits: 100 });
  const body = {
    clientRequest: 'x'.repeat(80),
    upstreamRequest: null,
    raw: [],
    delivered: null,
    notes: [],
    settings: {},
  };
  const turns = Array.from({ length: 12 }, () => testTurn({ body }));
  for (const turn of turns) made.add(turn);
  expect(made.state).toMatchObject({ queued: 10, lost: 2 });
  line.restore();
  await written(made);
  const rows = await prisma.turn.findMany({ where: { id: { in: turns.map(({ id }) => id) } } });
  expect(rows).toHaveLength(10);
  expect(rows.filter(({ stored }) => stored)).toHaveLength(1);
});

it('a row that Postgres refuses does not block the others', async () => {
  const made = recorder();
  const turns = Array.from({ length: 20 }, (_, n) => testTurn(n === 7 ? { totalMs: 2 ** 40 } : {}));
  for (const turn of turns) made.add(turn);
  await written(made);
  expect(made.state.lost).toBe(1);
  expect(made.state.problem).toMatch(/out of range/);
  expect(await prisma.turn.count({ where: { id: { in: turns.map(({ id }) => id) } } })).toBe(19);
});

it('an id of a distant day is refused, and creates no partition', async () => {
  const made = recorder();
  made.add(testTurn({ id: newTurnId(new Date('2400-01-01T00:00:00Z')) }));
  await written(made);
  expect(made.state.lost).toBe(1);
});

it('stopping writes what is queued, and counts what it cannot write', async () => {
  const made = recorder({ gatherMs: 10_000 });
  const turn = testTurn();
  made.add(turn);
  await made.stop();
  expect(await prisma.turn.count({ where: { id: turn.id } })).toBe(1);
  line.cut();
  const cut = recorder();
  cut.add(testTurn());
  await cut.stop(300);
  expect(cut.state.lost).toBe(1);
});

it('A-4: keeps every failure and a share of the rest, each up to a cap per minute, and nothing of a team that opted out', () => {
  let now = 0;
  const sampling = new Sampling(
    () => ({ cleanShare: 0.5, cleanPerMinute: 1, failuresPerMinute: 2 }),
    () => 0.4,
    () => now,
  );
  const failure = { outcome: 'failed', failed: false, storesBodies: true } as const;
  expect([1, 2, 3].map(() => sampling.stores(failure))).toEqual([true, true, false]);
  expect(sampling.stores({ outcome: null, failed: true, storesBodies: true })).toBe(false);
  now = 60_000;
  expect(sampling.stores({ outcome: 'repaired', failed: false, storesBodies: true })).toBe(true);
  const clean = { outcome: 'clean', failed: false, storesBodies: true } as const;
  expect([1, 2].map(() => sampling.stores(clean))).toEqual([true, false]);
  now = 120_000;
  expect(sampling.stores(clean)).toBe(true);
  expect(sampling.stores({ ...failure, storesBodies: false })).toBe(false);
  const few = new Sampling(
    () => ({ cleanShare: 0.3, cleanPerMinute: 100, failuresPerMinute: 2 }),
    () => 0.4,
  );
  expect(few.stores({ outcome: 'clean', failed: false, storesBodies: true })).toBe(false);
});

it('a full disk is named, reported once, and the queue is written when there is space again', async () => {
  await prisma.$executeRaw`CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''could not extend file: No space left on device'' USING ERRCODE = ''disk_full''; END'`;
  await prisma.$executeRaw`CREATE TRIGGER no_room BEFORE INSERT ON turn FOR EACH ROW EXECUTE FUNCTION no_room()`;
  const problems: string[] = [];
  const made = recorder({ onAway: (problem) => problems.push(problem) });
  const turn = testTurn();
  made.add(turn);
  await expect.poll(() => made.state.diskFull, { timeout: 5_000 }).toBe(true);
  expect(made.state).toMatchObject({ lost: 0, queued: 1, problem: expect.stringContaining('No space left') });
  await prisma.$executeRaw`DROP TRIGGER no_room ON turn`;
  await written(made);
  expect(made.state).toMatchObject({ lost: 0, queued: 0, diskFull: false, awaySince: undefined });
  expect(problems).toHaveLength(1);
});
