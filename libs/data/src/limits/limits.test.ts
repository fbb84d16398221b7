import { forwarder, NEEDS_REDIS, testDatabase, testRedis } from '@callsmith/testing';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPrisma, type PrismaService } from '../database/prisma.ts';
import { newId } from '../ids.ts';
import type { KeyEntry } from '../snapshot/config-snapshot.ts';
import { budgetsIn } from './key-budgets.ts';
import { type LimitStore, windowBegin, windowEnd } from './limit-store.ts';
import { Limiter, type Reservation } from './limiter.ts';
import { PostgresLimits } from './postgres-limits.ts';
import { RedisLimits } from './redis-limits.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let prisma: PrismaService;
let redis: Redis | undefined;
const open: Limiter[] = [];

beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma(database.url);
  const url = testRedis();
  if (url) redis = new Redis(url);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((limiter) => limiter.stop()));
});
afterAll(async () => {
  redis?.disconnect();
  await prisma.$disconnect();
  await database.stop();
});

function gateway(store: LimitStore): Limiter {
  const made = new Limiter(store);
  made.start();
  open.push(made);
  return made;
}

type Limits = Partial<KeyEntry> & { tokenBudget?: bigint; spendBudget?: bigint; budgetPeriod?: string };

const key = ({ tokenBudget, spendBudget, budgetPeriod, ...limits }: Limits, id = newId('key')): KeyEntry => ({
  id,
  teamId: 'team_1',
  teamName: 't',
  holder: 'h',
  hint: '…',
  kind: 'issued',
  allowedModels: undefined,
  storesBodies: true,
  expiresAt: undefined,
  requestsPerMinute: undefined,
  tokensPerMinute: undefined,
  concurrentStreams: undefined,
  budgets: budgetsIn('key', {
    id,
    tokenBudget: tokenBudget ?? null,
    spendBudget: spendBudget ?? null,
    budgetPeriod: budgetPeriod ?? null,
  }),
  ...limits,
});

/** Not within the last moments of a minute, where counters restart. */
async function awayFromTheMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 4_000) await new Promise((done) => setTimeout(done, left + 50));
}

const ask = { tokens: 100, spend: 0 };
const stores: [name: string, make: () => LimitStore, skip: boolean][] = [
  ['Postgres', () => new PostgresLimits(prisma, 'gateway'), false],
  [testRedis() ? 'Redis' : `Redis: ${NEEDS_REDIS}`, () => new RedisLimits(redis!), testRedis() === undefined],
];

describe.each(stores)('limits in %s', (_name, store, skip) => {
  const test = it.skipIf(skip);

  test('security 26: of 100 concurrent requests on two gateways, as many pass as the limit says', async () => {
    await awayFromTheMinute();
    const gateways = [gateway(store()), gateway(store())];
    const limited = key({ requestsPerMinute: 10 });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => gateways[n % 2]!.reserve(limited, ask)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(10);
    const refused = answers.find(({ ok }) => !ok);
    expect(refused).toMatchObject({ kind: 'requests', limit: 10 });
    const resetsAt = (refused as { resetsAt: Date }).resetsAt.getTime();
    expect(Math.abs(resetsAt - windowEnd('minute', windowBegin('minute', Date.now())))).toBeLessThan(1_000);
  });

  test('a key with nothing left is known before any store access; the check counts nothing', async () => {
    await awayFromTheMinute();
    const limiter = gateway(store());
    const limited = key({ requestsPerMinute: 2, tokenBudget: 1_000n, budgetPeriod: 'month' });
    for (let n = 0; n < 20; n++) expect(await limiter.spent(limited)).toBeUndefined();
    expect((await limiter.reserve(limited, ask)).ok).toBe(true);
    expect(await limiter.spent(limited)).toBeUndefined();
    const last = (await limiter.reserve(limited, ask)) as Reservation;
    expect(last.ok).toBe(true);
    expect(await limiter.spent(limited)).toMatchObject({ kind: 'requests', limit: 2, resetsAt: expect.any(Date) });
    const rich = key({ tokenBudget: 100n, budgetPeriod: 'month' });
    const all = (await limiter.reserve(rich, ask)) as Reservation;
    expect(await limiter.spent(rich)).toMatchObject({ kind: 'budget', limit: 100 });
    all.finish({ tokens: 10, spend: 0 });
    expect(await limiter.spent(rich)).toBeUndefined();
    expect(await limiter.spent(key({}))).toBeUndefined();
  });

  test('security 26: a budget is reserved before the turn and finished after it, also when aborted', async () => {
    const limiter = gateway(store());
    const limited = key({ tokenBudget: 1_000n, budgetPeriod: 'month' });
    const first = (await limiter.reserve(limited, { tokens: 900, spend: 0 })) as Reservation;
    expect(await limiter.reserve(limited, { tokens: 200, spend: 0 })).toMatchObject({ ok: false, kind: 'budget' });
    first.finish({ tokens: 150, spend: 0 });
    first.finish({ tokens: 150, spend: 0 });
    await new Promise((done) => setTimeout(done, 300));
    const second = (await limiter.reserve(limited, { tokens: 800, spend: 0 })) as Reservation;
    expect(second.ok).toBe(true);
    second.finish({ tokens: 850, spend: 0 });
    await new Promise((done) => setTimeout(done, 300));
    expect((await limiter.reserve(limited, { tokens: 10, spend: 0 })).ok).toBe(false);
  });

  test('returns how much of a budget is used, by all gateways together', async () => {
    const [local, remote] = [gateway(store()), gateway(store())];
    const limited = key({ tokenBudget: 1_000n, budgetPeriod: 'month' });
    const first = (await local.reserve(limited, { tokens: 400, spend: 0 })) as Reservation;
    first.finish({ tokens: 400, spend: 0 });
    const second = (await remote.reserve(limited, { tokens: 300, spend: 0 })) as Reservation;
    second.finish({ tokens: 300, spend: 0 });
    expect(remote.budgetShares()).toEqual([
      { budget: limited.budgets[0], key: limited, share: expect.closeTo(0.7, 5) },
    ]);
    expect(local.budgetShares()[0]?.share).toBeCloseTo(0.4, 5);
  });

  test('returns how much is used of a money budget, and of one that several keys share', async () => {
    const limiter = gateway(store());
    const shared = {
      of: 'team',
      unit: 'spend',
      period: 'month',
      limit: 1_000,
      counter: `shared-spend:${newId('key')}`,
    } as const;
    const keys = [key({}), key({})].map((one) => ({ ...one, budgets: [shared] }));
    for (const one of keys) {
      const taken = (await limiter.reserve(one, { tokens: 10, spend: 250 })) as Reservation;
      taken.finish({ tokens: 10, spend: 250 });
    }
    expect(limiter.budgetShares()).toEqual([{ budget: shared, key: keys[1], share: expect.closeTo(0.5, 5) }]);
  });

  test('a key whose concurrent requests are all in use is known before any store access, on every gateway', async () => {
    const [local, remote] = [gateway(store()), gateway(store())];
    const limited = key({ concurrentStreams: 2 });
    const running = [await local.reserve(limited, ask), await remote.reserve(limited, ask)] as Reservation[];
    for (const limiter of [local, remote])
      expect(await limiter.spent(limited)).toEqual({ ok: false, kind: 'streams', limit: 2, resetsAt: undefined });
    running[0]?.finish({ tokens: 1, spend: 0 });
    await expect.poll(() => remote.spent(limited)).toBeUndefined();
    expect(await local.spent(key({ concurrentStreams: 2 }))).toBeUndefined();
  });

  test('a money budget is reserved at the price of the expected tokens and finished at that of the actual ones', async () => {
    const limiter = gateway(store());
    const limited = key({ spendBudget: 1_000n, budgetPeriod: 'month', tokenBudget: 1_000_000n });
    const first = (await limiter.reserve(limited, { tokens: 10, spend: 900 })) as Reservation;
    expect(await limiter.reserve(limited, { tokens: 10, spend: 200 })).toMatchObject({
      ok: false,
      kind: 'budget',
      limit: 1_000,
      budget: { of: 'key', unit: 'spend', period: 'month' },
    });
    first.finish({ tokens: 10, spend: 150 });
    await new Promise((done) => setTimeout(done, 300));
    const second = (await limiter.reserve(limited, { tokens: 10, spend: 800 })) as Reservation;
    second.finish({ tokens: 10, spend: 850 });
    expect((await limiter.reserve(limited, { tokens: 10, spend: 1 })).ok).toBe(false);
  });

  test('security 26: a team’s budget is one for all its keys on all gateways, whichever requests race for it', async () => {
    const gateways = [gateway(store()), gateway(store())];
    const team = budgetsIn('team', { id: newId('bud'), tokenBudget: null, spendBudget: 1_000n, budgetPeriod: 'day' });
    const keys = [key({ budgets: team }), key({ budgets: team })];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => gateways[n % 2]!.reserve(keys[(n >> 1) % 2]!, { tokens: 1, spend: 100 })),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(10);
    expect(answers.find(({ ok }) => !ok)).toMatchObject({ kind: 'budget', budget: { of: 'team' } });
  });

  test('a budget is one for all gateways, and what one leaves another can use', async () => {
    const [local, remote] = [gateway(store()), gateway(store())];
    const limited = key({ tokenBudget: 10_000n, budgetPeriod: 'day' });
    const first = (await local.reserve(limited, { tokens: 9_000, spend: 0 })) as Reservation;
    expect((await remote.reserve(limited, { tokens: 2_000, spend: 0 })).ok).toBe(false);
    first.finish({ tokens: 1_000, spend: 0 });
    for (let tries = 0; ; tries++) {
      const answer = await remote.reserve(limited, { tokens: 8_500, spend: 0 });
      if (answer.ok) break;
      if (tries > 100) throw new Error('what was not used was never given back');
      await new Promise((done) => setTimeout(done, 50));
    }
  });

  test('a refused request returns what it had reserved', async () => {
    await awayFromTheMinute();
    const limiter = gateway(store());
    const limited = key({ tokenBudget: 1_000n, budgetPeriod: 'day', tokensPerMinute: 500n });
    const first = await limiter.reserve(limited, { tokens: 400, spend: 0 });
    expect(first.ok).toBe(true);
    expect(await limiter.reserve(limited, { tokens: 300, spend: 0 })).toMatchObject({
      ok: false,
      kind: 'tokens',
      limit: 500,
    });
    (first as Reservation).finish({ tokens: 400, spend: 0 });
    expect((await limiter.reserve(limited, { tokens: 50, spend: 0 })).ok).toBe(true);
  });

  test('security 27: D-43 concurrent requests, on all gateways; one that ended frees its slot', async () => {
    const gateways = [gateway(store()), gateway(store())];
    const limited = key({ concurrentStreams: 3 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => gateways[n % 2]!.reserve(limited, ask)));
    const admitted = answers.filter((answer): answer is Reservation => answer.ok);
    expect(admitted).toHaveLength(3);
    expect(answers.find(({ ok }) => !ok)).toMatchObject({ kind: 'streams', limit: 3, resetsAt: undefined });
    expect((await gateways[0]!.reserve(limited, ask)).ok).toBe(false);
    admitted[0]!.finish({ tokens: 10, spend: 0 });
    for (let tries = 0; !(await gateways[1]!.reserve(limited, ask)).ok; tries++) {
      if (tries > 100) throw new Error('the place was never freed');
      await new Promise((done) => setTimeout(done, 20));
    }
  });

  test('a counter includes everything leased from it', async () => {
    const name = `budget:${newId('key')}`;
    expect(await store().read(name, 'month')).toBe(0);
    await store().lease(name, 'month', 70, 100);
    expect(await store().read(name, 'month')).toBe(70);
  });

  test('a key without limits uses no store', async () => {
    const away: LimitStore = {
      lease: () => Promise.reject(new Error('asked')),
      add: () => Promise.reject(new Error('asked')),
      read: () => Promise.reject(new Error('asked')),
      acquireStream: () => Promise.reject(new Error('asked')),
      runningStreams: () => Promise.reject(new Error('asked')),
      releaseStream: () => Promise.reject(new Error('asked')),
      renewStreams: async () => {},
    };
    const answer = await gateway(away).reserve(key({}), ask);
    expect(answer.ok).toBe(true);
    (answer as Reservation).finish({ tokens: 10, spend: 0 });
  });

  test('limit requests are counted in memory', async () => {
    await awayFromTheMinute();
    const real = store();
    let leases = 0;
    const counting = Object.assign(Object.create(real) as LimitStore, {
      lease: (...args: Parameters<LimitStore['lease']>) => {
        leases += 1;
        return real.lease(...args);
      },
    });
    const limiter = gateway(counting);
    const limited = key({ requestsPerMinute: 1_000 });
    for (let n = 0; n < 200; n++) expect((await limiter.reserve(limited, ask)).ok).toBe(true);
    expect(leases).toBeLessThanOrEqual(5);
  });
});

it('requests continue while Postgres is unreachable, and their usage is counted when it is back', async () => {
  const line = await forwarder(database.url);
  const far = createPrisma(line.url);
  const limiter = gateway(new PostgresLimits(far, 'g'));
  const limited = key({ tokenBudget: 1_000n, budgetPeriod: 'day' });
  line.cut();
  const answer = (await limiter.reserve(limited, { tokens: 800, spend: 0 })) as Reservation;
  expect(answer.ok).toBe(true);
  answer.finish({ tokens: 800, spend: 0 });
  line.restore();
  for (let tries = 0; ; tries++) {
    const row = await prisma.counter.findFirst({ where: { name: `budget:${limited.id}` } });
    if (row?.value === 800n) break;
    if (tries > 200) throw new Error(`never counted: ${row?.value}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  await limiter.stop();
  await far.$disconnect();
  await line.stop();
});

it('a slot whose gateway has gone is free after its lease', async () => {
  const dead = new PostgresLimits(prisma, 'dead');
  const limited = key({ concurrentStreams: 1 });
  expect(await dead.acquireStream('lease_dead', limited.id, 1)).toBe(true);
  const limiter = gateway(new PostgresLimits(prisma, 'alive'));
  expect((await limiter.reserve(limited, ask)).ok).toBe(false);
  await prisma.streamLease.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });
  expect((await limiter.reserve(limited, ask)).ok).toBe(true);
});

it('security 7: requests that cannot be counted continue for a bounded grace period, are refused then, and recover automatically', async () => {
  const line = await forwarder(database.url);
  const far = createPrisma(line.url, 2);
  const limiter = new Limiter(new PostgresLimits(far, 'gateway'), undefined, 1_000);
  open.push(limiter);
  const budget = key({ tokenBudget: 1_000_000n, budgetPeriod: 'month' });
  const streams = key({ concurrentStreams: 5 });
  const reserve = async (limited: KeyEntry) => {
    const answer = await limiter.reserve(limited, { tokens: 60_000, spend: 0 });
    if (answer.ok) answer.finish({ tokens: 60_000, spend: 0 });
    return answer.ok ? 'ok' : answer.kind;
  };
  expect([await reserve(budget), await reserve(streams)]).toEqual(['ok', 'ok']);
  line.cut();
  expect([await reserve(budget), await reserve(streams)]).toEqual(['ok', 'ok']);
  // Rarely, because each uses a part of the budget that is counted later.
  const seldom = { timeout: 10_000, interval: 250 };
  await expect
    .poll(async () => [await reserve(budget), await reserve(streams)], seldom)
    .toEqual(['uncounted', 'uncounted']);
  expect((await limiter.reserve(key({}), ask)).ok).toBe(true);
  line.restore();
  await expect.poll(async () => [await reserve(budget), await reserve(streams)], seldom).toEqual(['ok', 'ok']);
  await limiter.stop();
  open.splice(open.indexOf(limiter), 1);
  await far.$disconnect();
  await line.stop();
});
