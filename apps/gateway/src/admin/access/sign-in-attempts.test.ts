import { createPrisma, type PrismaService } from '@callsmith/data/database';
import { type LimitStore, PostgresLimits, RedisLimits } from '@callsmith/data/limits';
import { NEEDS_REDIS, testDatabase, testRedis } from '@callsmith/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SignInAttempts } from './sign-in-attempts.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let prisma: PrismaService;
let redis: Redis | undefined;
beforeAll(async () => {
  // Not within the last moments of a window, where counters restart.
  const left = 900_000 - (Date.now() % 900_000);
  if (left < 8_000) await new Promise((done) => setTimeout(done, left + 50));
  database = await testDatabase();
  prisma = createPrisma(database.url, 4);
  const url = testRedis();
  if (url) redis = new Redis(url);
});
afterAll(async () => {
  redis?.disconnect();
  await prisma.$disconnect();
  await database.stop();
});

/** Separate accounts and addresses for each test, because they all share one Redis. */
let n = 0;
const someone = () => `User${process.pid}-${n++}@Example.com`;
const somewhere = () => `10.${process.pid % 250}.${Math.floor(Math.random() * 250)}.${n++ % 250}`;

async function tried(times: number, attempt: (n: number) => Promise<void>): Promise<{ let: number; refused: number }> {
  const all = await Promise.allSettled(Array.from({ length: times }, (_, at) => attempt(at)));
  return {
    let: all.filter(({ status }) => status === 'fulfilled').length,
    refused: all.filter(({ status }) => status === 'rejected').length,
  };
}

const stores: [name: string, make: () => LimitStore, skip: boolean][] = [
  ['Postgres', () => new PostgresLimits(prisma, 'gateway'), false],
  [testRedis() ? 'Redis' : `Redis: ${NEEDS_REDIS}`, () => new RedisLimits(redis!), testRedis() === undefined],
];

describe.each(stores)('sign-in attempts, counted in %s', (_name, store, skip) => {
  const test = it.skipIf(skip);

  test('security 23: an account allows ten attempts over all gateways, from whatever address', async () => {
    const gateways = [new SignInAttempts(store()), new SignInAttempts(store())];
    const account = someone();
    const begin = (at: number) => gateways[at % 2]!.begin(at % 3 ? account : account.toLowerCase(), somewhere());
    expect(await tried(30, begin)).toEqual({ let: 10, refused: 20 });
    await expect(begin(0)).rejects.toThrow(/Try again in \d+ min/);
    await expect(begin(1)).rejects.toMatchObject({ headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) } });
    await gateways[1]!.begin(someone(), somewhere());
  });

  test('security 23: one address may not try many accounts, and so cannot lock anyone out', async () => {
    const gateways = [new SignInAttempts(store()), new SignInAttempts(store())];
    const address = somewhere();
    expect(await tried(60, (at) => gateways[at % 2]!.begin(someone(), address))).toEqual({ let: 50, refused: 10 });
    const victim = someone();
    expect(await tried(20, (at) => gateways[at % 2]!.begin(victim, address))).toEqual({ let: 0, refused: 20 });
    await gateways[0]!.begin(victim, somewhere());
  });

  test('security 23: addresses of one IPv6 network count as one', async () => {
    const attempts = new SignInAttempts(store());
    const net = `2001:db8:${(process.pid % 60_000).toString(16)}:${Math.floor(Math.random() * 60_000).toString(16)}`;
    expect(await tried(60, (at) => attempts.begin(someone(), `${net}::${at.toString(16)}`))).toEqual({
      let: 50,
      refused: 10,
    });
    await attempts.begin(someone(), `${net.slice(0, -1)}${net.endsWith('f') ? 'e' : 'f'}::1`);
  });

  test('a successful sign-in does not count as an attempt', async () => {
    const attempts = new SignInAttempts(store());
    const [account, address] = [someone(), somewhere()];
    for (let time = 0; time < 70; time++) {
      await attempts.begin(account, address);
      await attempts.succeeded(account, address);
    }
  });
});

it('security 23: while the store is unreachable each gateway still counts', async () => {
  const unreachable = createPrisma('postgresql://nobody@127.0.0.1:1/none', 1);
  const attempts = new SignInAttempts(new PostgresLimits(unreachable, 'gateway'));
  const account = someone();
  expect(await tried(15, () => attempts.begin(account, somewhere()))).toEqual({ let: 10, refused: 5 });
  await unreachable.$disconnect();
});
