import type { FindingClass } from '@callsmith/turn';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPrisma, type PrismaService } from '../database/prisma.ts';
import { newTurnId, turnTime } from '../ids.ts';
import { startTestRecord, type TestRecord } from '../record/test-record.ts';
import { failedTurn, testCall, testTurn } from '../record/test-turns.ts';
import type { TurnRecord } from '../record/turn-record.ts';
import { percentile } from '../rollup/histogram.ts';
import { rollUp } from '../rollup/roll-up.ts';
import { clustersOf } from '../turns/clusters.ts';
import { facetsOf } from '../turns/facets.ts';
import { findTurn, listTurns } from '../turns/list.ts';
import { affectedBy } from './affected-users.ts';
import { chartStepSeconds } from './filter.ts';
import { classesOverTime, rulesOf } from './findings.ts';
import { outcomesOverTime, totalsOf, usageBy, usageOverTime } from './outcomes.ts';
import { overviewOf } from './overview.ts';
import { toolsOf } from './tools.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let record: TestRecord;
let prisma: PrismaService;
let pool: pg.Pool;

beforeAll(async () => {
  record = await startTestRecord();
  ({ prisma, pool } = record);
});
beforeEach(() => record.clear());
afterAll(() => record.stop());

const write = (turns: readonly TurnRecord[]) => record.write(turns);

/** The beginning of the current hour, and instants relative to it. */
const hour = new Date(Math.floor(Date.now() / HOUR) * HOUR);
const ago = (ms: number) => new Date(hour.getTime() - ms);
const lastHour = { from: ago(HOUR), to: hour };
const firstPage = { offset: 0, limit: 200 };

/** The same draws for the same seed. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function randomTurns(count: number, spanMs: number, seed: number): TurnRecord[] {
  const draw = draws(seed);
  const pick = <T>(...of: readonly T[]): T => of[Math.floor(draw() * of.length)]!;
  return Array.from({ length: count }, () => {
    const outcome = pick('clean', 'clean', 'repaired', 'failed', 'none', null);
    return testTurn({
      at: new Date(hour.getTime() + 30 * MINUTE - Math.floor(draw() * spanMs)),
      outcome,
      classes: outcome === 'failed' ? [pick('InvalidJson', 'Truncated')] : outcome === 'repaired' ? ['BadFraming'] : [],
      calls:
        outcome === null || outcome === 'none'
          ? []
          : [
              testCall({
                outcome,
                rules: outcome === 'repaired' ? ['close-brackets'] : [],
                tool: pick('read_file', 'write'),
              }),
            ],
      modelId: pick('model_1', 'model_2', null),
      teamId: pick('team_1', 'team_2'),
      client: pick('cline', 'other'),
      errorCode: outcome === null ? 'upstream_timeout' : null,
      addedUs: Math.floor(10 ** (1 + draw() * 5)),
    });
  });
}

describe('usage over time', () => {
  it('D-28 is the same from rows, from roll-ups, and from both', async () => {
    await write(randomTurns(300, 5 * HOUR, 11));
    const filter = { from: ago(6 * HOUR), to: new Date(hour.getTime() + HOUR) };
    const read = () => usageOverTime(prisma, filter, { step: 900, by: 'team' });
    const fromRows = await read();
    expect(new Set(fromRows.map(({ id }) => id))).toEqual(new Set(['team_1', 'team_2']));
    const all = await totalsOf(prisma, filter);
    for (const sum of ['turns', 'inputTokens', 'outputTokens', 'cachedTokens', 'injectedTokens'] as const)
      expect(fromRows.reduce((sums, point) => sums + point[sum], 0)).toBe(all[sum]);
    expect(all.turns).toBe(300);
    await rollUp(prisma);
    expect(await read()).toEqual(fromRows);
    await write([testTurn({ at: ago(2 * HOUR), teamId: 'team_1', inputTokens: 7 })]);
    expect((await read()).reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(all.inputTokens + 7);
  });

  it('combines all but the 50 with the most turns', async () => {
    const keys = Array.from({ length: 53 }, (_, n) => `key_${String(n).padStart(2, '0')}`);
    await write(
      keys.flatMap((keyId, n) => [
        testTurn({ keyId, at: ago(HOUR - n) }),
        ...(n < 3 ? [] : [testTurn({ keyId, at: ago(HOUR / 2 - n) })]),
      ]),
    );
    const points = await usageOverTime(prisma, { from: ago(2 * HOUR), to: hour }, { step: 3600, by: 'key' });
    expect(points.filter(({ id }) => id === null)).toMatchObject([{ turns: 3 }]);
    expect(points.filter(({ id }) => id !== null)).toHaveLength(50);
  });
});

describe('outcomes over time', () => {
  it('D-28 are the same from rows, from roll-ups, and from both', async () => {
    const turns = randomTurns(800, 22 * HOUR, 7);
    await write(turns);
    const yesterday = new Date(Math.floor(ago(24 * HOUR).getTime() / (24 * HOUR)) * 24 * HOUR);
    const filter = { from: yesterday, to: new Date(hour.getTime() + HOUR) };
    const expected = (step: number, wanted: (turn: TurnRecord) => boolean) => {
      const points = new Map<string, number[]>();
      for (const turn of turns.filter(wanted)) {
        const at =
          filter.from.getTime() +
          Math.floor((turnTime(turn.id).getTime() - filter.from.getTime()) / (step * 1000)) * step * 1000;
        const key = `${new Date(at).toISOString()} ${turn.modelId ?? ''}`;
        const sums = points.get(key) ?? [0, 0, 0, 0, 0, 0];
        (['clean', 'repaired', 'failed', 'none'] as const).forEach((outcome, place) => {
          if (turn.outcome === outcome) sums[place]! += 1;
        });
        sums[4]! += 1;
        if (turn.errorCode) sums[5]! += 1;
        points.set(key, sums);
      }
      return Object.fromEntries([...points].sort(([a], [b]) => (a < b ? -1 : 1)));
    };
    const read = async (step: number, more: object = {}) =>
      Object.fromEntries(
        (await outcomesOverTime(prisma, { ...filter, ...more }, step)).map((point) => [
          `${point.at.toISOString()} ${point.modelId}`,
          [point.clean, point.repaired, point.failed, point.none, point.turns, point.errors],
        ]),
      );
    const check = async () => {
      for (const step of [300, 900, 3600, 21_600, 604_800]) {
        if (step < 86_400) expect(await read(step)).toEqual(expected(step, () => true));
        else
          expect(Object.values(await read(step)).reduce((sum, point) => sum + (point[4] ?? 0), 0)).toBe(turns.length);
      }
      expect(await read(900, { teamId: 'team_2', client: 'cline' })).toEqual(
        expected(900, (turn) => turn.teamId === 'team_2' && turn.client === 'cline'),
      );
      const totals = await totalsOf(prisma, filter);
      expect(totals.turns).toBe(turns.length);
      expect(totals.inputTokens).toBe(turns.length * 100);
      expect(totals.added.reduce((sum, count) => sum + count, 0)).toBe(turns.length);
    };
    await check();
    await rollUp(prisma, ago(10 * HOUR));
    await check();
    await rollUp(prisma);
    await check();
    // A range that begins and ends inside buckets contains exactly its own minutes.
    const inner = { from: ago(20 * HOUR + 17 * MINUTE), to: ago(2 * HOUR + 41 * MINUTE) };
    const within = ({ id }: TurnRecord) => turnTime(id) >= inner.from && turnTime(id) < inner.to;
    expect((await totalsOf(prisma, inner)).turns).toBe(turns.filter(within).length);
    // Rolled-up data does not need its rows.
    await pool.query('TRUNCATE turn, call');
    expect((await totalsOf(prisma, { ...filter, to: hour })).turns).toBe(
      turns.filter(({ id }) => turnTime(id) < hour).length,
    );
  });

  it.each([7, 30])('the totals of %i days equal their own chart, and the requests of that time', async (days) => {
    await pool.query(`SELECT make_days((now() - interval '32 days')::date, (now() + interval '1 day')::date)`);
    const now = Date.now();
    const quarter = 15 * MINUTE;
    const from = new Date(Math.floor((now - days * 24 * HOUR) / quarter) * quarter);
    // One request every 410 minutes, from a day and a half before the range up to now.
    const count = Math.ceil(((days + 1.5) * 24 * HOUR) / (410 * MINUTE));
    const instants = Array.from({ length: count }, (_, n) => new Date(now - 1_000 - n * 410 * MINUTE));
    await write(instants.map((at) => failedTurn({ at })));
    await pool.query(`INSERT INTO rollup_mark (grain, bucket)
      SELECT DISTINCT 'minute', date_trunc('minute', at) FROM turn ON CONFLICT DO NOTHING`);
    const filter = { from, to: new Date(now) };
    const expected = instants.filter((at) => at >= from).length;
    const check = async () => {
      const overview = await overviewOf(prisma, filter);
      expect(overview.totals.turns).toBe(expected);
      expect(overview.outcomes.reduce((sum, { turns }) => sum + turns, 0)).toBe(expected);
      expect(overview.classes.reduce((sum, point) => sum + point.count, 0)).toBe(expected);
      const usage = await usageOverTime(prisma, filter, { step: overview.step, by: 'model' });
      expect(usage.reduce((sum, { turns }) => sum + turns, 0)).toBe(expected);
    };
    await check();
    await rollUp(prisma, new Date(now + MINUTE));
    await check();
    // Quarters of an hour are not kept forever: then the whole first day is included rather than excluded.
    await pool.query(
      `DELETE FROM turn_rollup WHERE grain IN ('minute', 'quarter', 'hour', 'shift')
      AND bucket < $1`,
      [new Date(from.getTime() + 24 * HOUR)],
    );
    const whole = instants.filter((at) => at.getTime() >= Math.floor(from.getTime() / (24 * HOUR)) * 24 * HOUR).length;
    expect((await totalsOf(prisma, filter)).turns).toBe(whole);
  });

  it('D-28 a bucket is closed after 24 h', async () => {
    await write([testTurn({ at: ago(26 * HOUR) }), testTurn({ at: ago(HOUR) })]);
    expect(await prisma.rollupMark.count()).toBe(2);
  });

  it('late rows update a bucket, and running twice or concurrently changes nothing', async () => {
    const first = randomTurns(200, 3 * HOUR, 1);
    await write(first);
    await rollUp(prisma, new Date(hour.getTime() + 2 * HOUR));
    const late = randomTurns(100, 3 * HOUR, 2);
    await write(late);
    const filter = { from: ago(6 * HOUR), to: new Date(hour.getTime() + HOUR) };
    expect((await totalsOf(prisma, filter)).turns).toBe(300);
    const clients = [1, 2, 3].map(() => createPrisma(record.url));
    await Promise.all(clients.map((client) => rollUp(client, new Date(hour.getTime() + 2 * HOUR))));
    for (const client of clients) await client.$disconnect();
    expect(await prisma.rollupMark.count()).toBe(0);
    const sums = await prisma.$queryRaw<{ grain: string; turns: number }[]>`
      SELECT grain, sum(turns)::float8 AS turns FROM turn_rollup GROUP BY grain ORDER BY grain`;
    expect(sums).toEqual([
      { grain: 'day', turns: 300 },
      { grain: 'hour', turns: 300 },
      { grain: 'minute', turns: 300 },
      { grain: 'quarter', turns: 300 },
      { grain: 'shift', turns: 300 },
    ]);
  });

  it('the sums by model follow whatever changes a roll-up', async () => {
    const difference = async () => {
      const { rows } = await pool.query(`
        (TABLE model_rollup EXCEPT TABLE sums_by_model) UNION ALL (TABLE sums_by_model EXCEPT TABLE model_rollup)`);
      return rows.length;
    };
    const count = async () => Number((await pool.query('SELECT count(*) FROM model_rollup')).rows[0].count);
    const changes = [
      () => write(randomTurns(200, 30 * HOUR, 1)),
      () => rollUp(prisma, new Date(hour.getTime() + 2 * HOUR)),
      () => write(randomTurns(100, 3 * HOUR, 2)),
      () => rollUp(prisma, new Date(hour.getTime() + 2 * HOUR)),
      () => pool.query("UPDATE turn_rollup SET turns = turns + 1, added[3] = 7 WHERE model_id = 'model_1'"),
      () => pool.query('DELETE FROM turn_rollup WHERE bucket < $1', [ago(20 * HOUR)]),
      () => pool.query("DELETE FROM turn_rollup WHERE client = 'cline'"),
    ];
    for (const change of changes) {
      await change();
      expect(await difference()).toBe(0);
    }
    expect(await count()).toBeGreaterThan(0);
    await pool.query('DELETE FROM turn_rollup');
    expect(await count()).toBe(0);
  });

  it('the sums of each range are the same by model as by series', async () => {
    await write(randomTurns(400, 30 * HOUR, 5));
    await rollUp(prisma, new Date(hour.getTime() + 2 * HOUR));
    await write(randomTurns(50, 2 * HOUR, 6));
    const everyTeam = { teams: ['team_1', 'team_2', 'team_3', ''], models: [], clients: [] };
    for (const hours of [0.3, 1, 5.5, 6, 24, 29.7]) {
      const filter = { from: ago(hours * HOUR), to: new Date(hour.getTime() + HOUR) };
      const [byModel, bySeries] = await Promise.all([
        overviewOf(prisma, filter),
        overviewOf(prisma, { ...filter, among: everyTeam }),
      ]);
      expect(byModel).toEqual(bySeries);
      expect(byModel.totals.turns).toBeGreaterThan(0);
    }
  });

  it('no turn is lost while writers and the roll-up run concurrently', async () => {
    const turns = randomTurns(1_000, 2 * HOUR, 3);
    const writing = (async () => {
      for (let at = 0; at < turns.length; at += 20) await write(turns.slice(at, at + 20));
    })();
    let done = false;
    void writing.then(() => {
      done = true;
    });
    while (!done) await rollUp(prisma, new Date(hour.getTime() + 2 * HOUR));
    await writing;
    await rollUp(prisma, new Date(hour.getTime() + 2 * HOUR));
    const [row] = await prisma.$queryRaw<
      { turns: number }[]
    >`SELECT sum(turns)::float8 AS turns FROM turn_rollup WHERE grain = 'hour'`;
    expect(row?.turns).toBe(1_000);
  });

  it('a finished turn is included immediately', async () => {
    await write([failedTurn()]);
    const now = Date.now();
    const points = await outcomesOverTime(prisma, { from: new Date(now - HOUR), to: new Date(now + MINUTE) }, 60);
    expect(points).toMatchObject([{ failed: 1, turns: 1, modelId: 'model_1' }]);
  });
});

describe('percentiles', () => {
  it('are accurate to 20 %', async () => {
    const draw = draws(5);
    const values = Array.from({ length: 500 }, () => Math.floor(20 * 10 ** (draw() * 5)));
    await write(values.map((addedUs) => testTurn({ addedUs, firstTokenMs: Math.max(1, Math.floor(addedUs / 100)) })));
    const totals = await totalsOf(prisma, { from: ago(0), to: new Date(Date.now() + MINUTE) });
    values.sort((a, b) => a - b);
    for (const share of [0.5, 0.9, 0.95, 0.99]) {
      const exact = values[Math.ceil(values.length * share) - 1]!;
      const read = percentile(totals.added, share, 'added')!;
      expect(Math.abs(read / exact - 1), `p${share}`).toBeLessThanOrEqual(0.2);
      const firstToken = percentile(totals.firstToken, share, 'firstToken')!;
      expect(Math.abs(firstToken / Math.max(1, exact / 100) - 1), `first token p${share}`).toBeLessThanOrEqual(0.25);
    }
    expect(percentile([], 0.5, 'added')).toBeUndefined();
  });

  it('a turn without a time is in no bucket', async () => {
    await write([testTurn({ addedUs: null, firstTokenMs: null })]);
    const totals = await totalsOf(prisma, { from: ago(0), to: new Date(Date.now() + MINUTE) });
    expect(totals.turns).toBe(1);
    expect([...totals.added, ...totals.firstToken].every((count) => count === 0)).toBe(true);
  });
});

describe('findings and tools', () => {
  it('classes, rules and tools are the same before and after the roll-up', async () => {
    const turns = randomTurns(300, 5 * HOUR, 11);
    await write(turns);
    const filter = { from: ago(5 * HOUR), to: new Date(hour.getTime() + HOUR) };
    const read = async () => ({
      classes: await classesOverTime(prisma, filter, 900),
      rules: await rulesOf(prisma, filter),
      tools: await toolsOf(prisma, filter),
    });
    const before = await read();
    const failed = turns.filter(({ classes }) => classes.length > 0).length;
    expect(before.classes.reduce((sum, { count }) => sum + count, 0)).toBe(failed);
    expect(before.rules).toEqual([
      { rule: 'close-brackets', count: turns.filter(({ outcome }) => outcome === 'repaired').length },
    ]);
    expect(before.tools.map(({ tool }) => tool).sort()).toEqual(['read_file', 'write']);
    await rollUp(prisma);
    expect(await read()).toEqual(before);
    await rollUp(prisma, new Date(hour.getTime() + 2 * HOUR));
    expect(await read()).toEqual(before);
    const ofClient = await classesOverTime(prisma, { ...filter, client: 'cline' }, 900);
    expect(ofClient.reduce((sum, { count }) => sum + count, 0)).toBe(
      turns.filter(({ classes, client }) => classes.length > 0 && client === 'cline').length,
    );
  });

  it('an hour keeps its 200 most used tools, the rest as other', async () => {
    await write(
      Array.from({ length: 230 }, (_, n) =>
        testTurn({
          at: ago(HOUR),
          calls: Array.from({ length: n < 200 ? 2 : 1 }, (_, at) => testCall({ n: at, tool: `tool_${n}` })),
        }),
      ),
    );
    await rollUp(prisma);
    expect(await prisma.callRollup.count()).toBe(201);
    expect(await prisma.callRollup.findFirst({ where: { tool: 'other' } })).toMatchObject({ clean: 30 });
  });
});

describe('lists', () => {
  it('turns come newest first, paged, filtered, and with names', async () => {
    await pool.query(`INSERT INTO team (id, name) VALUES ('team_1', 'Platform') ON CONFLICT DO NOTHING`);
    const turns = Array.from({ length: 25 }, (_, n) =>
      n % 5 === 0
        ? failedTurn({ at: ago(n * MINUTE), strategyUsed: 'prompt', client: 'codex' })
        : testTurn({ at: ago(n * MINUTE), teamId: n % 2 ? 'team_1' : 'team_2' }),
    );
    await write(turns);
    const range = { from: ago(HOUR), to: new Date(hour.getTime() + HOUR) };
    const first = await listTurns(prisma, range, { before: undefined, limit: 10 });
    const second = await listTurns(prisma, range, { before: first.at(-1)?.id, limit: 20 });
    expect([...first, ...second].map(({ id }) => id)).toEqual(turns.map(({ id }) => id));
    expect(first[0]).toMatchObject({ team: 'Platform', key: null, inputTokens: 100, outcome: 'failed' });
    const count = async (filter: object) =>
      (await listTurns(prisma, { ...range, ...filter }, { before: undefined, limit: 100 })).length;
    expect(await count({ failures: true })).toBe(5);
    expect(await count({ failures: true, class: 'InvalidJson', strategyUsed: 'prompt', client: 'codex' })).toBe(5);
    expect(await count({ tool: 'read_file', failures: true })).toBe(5);
    expect(await count({ shape: 's1' })).toBe(5);
    expect(await count({ shape: 's2' })).toBe(0);
    expect(await count({ teamId: 'team_2' })).toBe(turns.filter(({ teamId }) => teamId === 'team_2').length);
    expect(await findTurn(prisma, turns[0]!.id, 'team_1')).toMatchObject({ id: turns[0]!.id });
    expect(await findTurn(prisma, turns[0]!.id, 'team_2')).toBeUndefined();
    expect(await findTurn(prisma, newTurnId(), undefined)).toBeUndefined();
  });

  it('failures of the same kind are one cluster', async () => {
    await write([
      ...[1, 2, 3].map((n) => failedTurn({ at: ago(n * MINUTE), client: n === 3 ? 'codex' : 'cline' })),
      failedTurn({
        at: ago(MINUTE),
        calls: [testCall({ outcome: 'failed', classes: ['Truncated'], tool: 'write', shape: 's9' })],
      }),
      testTurn({ at: ago(MINUTE), outcome: null, calls: [], errorCode: 'upstream_timeout' }),
      testTurn({ at: ago(MINUTE) }),
    ]);
    const { items: clusters, total, groups } = await clustersOf(prisma, lastHour, firstPage);
    expect([total, groups]).toEqual([5, 3]);
    expect(clusters).toHaveLength(3);
    expect(clusters[0]).toMatchObject({
      class: 'InvalidJson',
      tool: 'read_file',
      shape: 's1',
      count: 3,
      clients: ['cline', 'codex'],
      firstAt: ago(3 * MINUTE),
      lastAt: ago(MINUTE),
    });
    expect(clusters.some(({ errorCode, tool }) => errorCode === 'upstream_timeout' && tool === null)).toBe(true);
  });

  it('clusters say how many failures and groups there are, beyond those that are listed', async () => {
    await write(Array.from({ length: 230 }, (_, n) => failedTurn({ at: ago(MINUTE), modelId: null, model: `m${n}` })));
    const { items, total, groups } = await clustersOf(prisma, lastHour, firstPage);
    expect([items.length, groups, total]).toEqual([200, 230, 230]);
    const rest = await clustersOf(prisma, lastHour, { offset: 200, limit: 200 });
    expect([rest.items.length, rest.groups, rest.total]).toEqual([30, 230, 230]);
    expect(new Set([...items, ...rest.items].map(({ model }) => model)).size).toBe(230);
  });

  it('the list of a cluster contains as many failures as it counts, also if groups look alike', async () => {
    const pick = <T>(n: number, ...of: readonly T[]): T => of[n % of.length]!;
    await write(
      Array.from({ length: 240 }, (_, n) => {
        const bad = { outcome: 'failed', tool: pick(n, 'read', 'write'), shape: pick(n, 's1', 's2', null) } as const;
        const classes = pick(n, ['InvalidJson'], ['Truncated', 'InvalidJson'], ['UnknownName']) as FindingClass[];
        const made = testCall({ ...bad, classes });
        const other = testCall({ ...made, n: 1, tool: 'other', classes: ['InvalidJson'] });
        return failedTurn({
          at: ago(n * 1_000),
          model: pick(n, 'a', 'b', 'alias-of-a'),
          modelId: pick(n, 'model_a', 'model_b', null),
          strategyUsed: pick(n, 'native', 'prompt', null, 'native', 'native'),
          client: pick(n, 'cline', 'kilo'),
          classes,
          calls: pick(n, [made], [], [made, other], [testCall(), other]),
          errorCode: pick(n, null, 'upstream_timeout', null, 'invalid_request', null),
        });
      }),
    );
    for (const more of [
      {},
      { client: 'kilo' },
      { class: 'InvalidJson' },
      { tool: 'other' },
      { errorCode: 'upstream_timeout' },
    ]) {
      const filter = { ...lastHour, ...more };
      const { items, total } = await clustersOf(prisma, filter, firstPage);
      expect(items.length).toBeGreaterThan(1);
      expect(total).toBeGreaterThan(items.length);
      for (const group of items) {
        const listed = await listTurns(prisma, { ...filter, group }, { before: undefined, limit: 200 });
        expect(listed.length, JSON.stringify([more, group])).toBe(group.count);
        expect(listed[0]?.id).toBe(group.newestTurn);
        expect((await facetsOf(prisma, { ...filter, group }, ['outcome', 'tool'])).total).toBe(group.count);
      }
    }
  });
});

describe('overview', () => {
  it('has this period and the previous one, and when each model failed last', async () => {
    await write([
      failedTurn({ at: ago(MINUTE) }),
      testTurn({ at: ago(2 * MINUTE) }),
      testTurn({ at: ago(90 * MINUTE) }),
    ]);
    const overview = await overviewOf(prisma, { from: ago(HOUR), to: hour });
    expect(overview.step).toBe(60);
    expect(overview.totals).toMatchObject({ clean: 1, failed: 1, turns: 2 });
    expect(overview.before).toMatchObject({ clean: 1, failed: 0, turns: 1 });
    expect(overview.lastFailed.get('model_1')).toEqual(ago(MINUTE));
    expect(overview.rolledUpTo?.getTime()).toBe(ago(90 * MINUTE).getTime());
    expect(Math.abs(overview.addedP95! / 500 - 1)).toBeLessThan(0.2);
    const usage = await usageBy(prisma, { from: ago(HOUR), to: hour }, 'team');
    expect(usage).toMatchObject([{ id: 'team_1', turns: 2, outputTokens: 40 }]);
    await rollUp(prisma);
    const rolledUp = await overviewOf(prisma, { from: ago(HOUR), to: hour });
    expect(Date.now() - (rolledUp.rolledUpTo?.getTime() ?? 0)).toBeLessThan(2 * MINUTE);
    expect(await affectedBy(prisma, { modelId: 'model_1', from: ago(2 * HOUR), to: hour })).toEqual({
      keys: 1,
      teams: 1,
      turns: 3,
    });
  });

  it('users of a model are counted completely, and immediately', async () => {
    await write(
      Array.from({ length: 620 }, (_, n) =>
        testTurn({ at: ago(30 * 1_000 + n), modelId: 'model_many', keyId: `key_${n}`, teamId: `team_${n % 7}` }),
      ),
    );
    const range = { modelId: 'model_many', from: ago(HOUR), to: hour };
    expect(await affectedBy(prisma, range)).toEqual({ keys: 620, teams: 7, turns: 620 });
    expect(await affectedBy(prisma, { ...range, teamId: 'team_1' })).toEqual({ keys: 89, teams: 1, turns: 89 });
  });

  it('an empty installation has an empty overview', async () => {
    const overview = await overviewOf(prisma, { from: ago(24 * HOUR), to: hour });
    expect(overview).toMatchObject({
      outcomes: [],
      classes: [],
      totals: { turns: 0 },
      rolledUpTo: undefined,
      addedP95: undefined,
    });
  });

  it('a chart has at most 120 points', () => {
    const to = new Date();
    for (const hours of [1, 6, 24, 24 * 7, 24 * 30, 24 * 90, 24 * 700]) {
      const step = chartStepSeconds({ from: new Date(to.getTime() - hours * HOUR), to });
      expect((hours * 3600) / step).toBeLessThanOrEqual(120);
    }
    const lastMonth = new Date(to.getTime() - 30 * 24 * HOUR);
    expect(chartStepSeconds({ from: lastMonth, to: new Date(lastMonth.getTime() + HOUR) })).toBe(900);
  });
});
