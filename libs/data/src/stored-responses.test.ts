import { testDatabase } from '@callsmith/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPrisma, type PrismaService } from './database/prisma.ts';
import { StoredResponses } from './stored-responses.ts';

const SECRET = 'response-test-secret-key-0123456789a';
let database: Awaited<ReturnType<typeof testDatabase>>;
let prisma: PrismaService;
beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma(database.url);
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.stop();
});

const kept = {
  messages: [{ role: 'user' as const, content: 'read the plan of the attic' }],
  response: { status: 'completed' },
};
const about = { previousId: undefined, model: 'qwen' };

async function stored(id: string): Promise<void> {
  for (let tries = 0; (await prisma.responseState.count({ where: { id } })) === 0; tries++) {
    if (tries > 200) throw new Error(`${id} was never stored`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

it('D-29 a stored response is encrypted, and found only with the key that made it, until it expires', async () => {
  const states = new StoredResponses(prisma, { secretKey: SECRET, days: 7 });
  const mine = { id: 'resp_1', keyId: 'key_1' };
  const foreign = { id: 'resp_1', keyId: 'key_2' };
  void states.save(mine, about, kept);
  expect(await states.find(mine)).toEqual(kept);
  expect(await states.find(foreign)).toBeUndefined();
  await stored('resp_1');
  const { expiresAt } = await prisma.responseState.findUniqueOrThrow({ where: { id: 'resp_1' } });
  expect(expiresAt.getTime() - Date.now()).toBeGreaterThan(7 * 86_400_000 - 60_000);
  expect(expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(7 * 86_400_000);
  const elsewhere = new StoredResponses(prisma, { secretKey: SECRET, days: 7 });
  expect(await elsewhere.find(mine)).toEqual(kept);
  expect(await elsewhere.find(foreign)).toBeUndefined();
  expect(await elsewhere.remove(foreign)).toBe(false);
  expect(await new StoredResponses(prisma, { secretKey: `${SECRET}x`, days: 7 }).find(mine)).toBeUndefined();
  expect(JSON.stringify(await prisma.responseState.findMany())).not.toContain('attic');
  void new StoredResponses(prisma, { secretKey: SECRET, days: -1 }).save({ id: 'resp_2', keyId: 'key_1' }, about, kept);
  await stored('resp_2');
  expect(await elsewhere.find({ id: 'resp_2', keyId: 'key_1' })).toBeUndefined();
  expect(await elsewhere.remove(mine)).toBe(true);
  expect(await elsewhere.find(mine)).toBeUndefined();
});

it('several stored responses are found together, with the key that made them and until they expire', async () => {
  const states = new StoredResponses(prisma, { secretKey: SECRET, days: 1 });
  const expired = new StoredResponses(prisma, { secretKey: SECRET, days: -1 });
  await Promise.all(['a', 'b'].map((id) => states.save({ id, keyId: 'key_1' }, about, kept)));
  await states.save({ id: 'c', keyId: 'key_2' }, about, kept);
  await expired.save({ id: 'd', keyId: 'key_1' }, about, kept);
  void states.save({ id: 'e', keyId: 'key_1' }, about, kept);
  const found = await states.findAll(['a', 'b', 'c', 'd', 'e', 'f'], 'key_1');
  expect([...found.keys()].sort()).toEqual(['a', 'b', 'e']);
  expect(found.get('a')).toEqual(kept);
});

it('D-40 once a response is stored, another process finds it at the first attempt', async () => {
  const local = new StoredResponses(prisma, { secretKey: SECRET, days: 7 });
  const remote = new StoredResponses(prisma, { secretKey: SECRET, days: 7 });
  for (let n = 0; n < 40; n++) {
    const id = { id: `resp_at_once_${n}`, keyId: 'key_1' };
    await local.save(id, about, kept);
    expect(await remote.find(id)).toEqual(kept);
  }
});

it('D-40 a store that hangs is waited for once and no longer than a second, and a loss is known', async () => {
  const hanging = { responseState: { create: () => new Promise(() => {}) } } as unknown as PrismaService;
  const slow = new StoredResponses(hanging, { secretKey: SECRET, days: 7 });
  const times: number[] = [];
  for (let n = 0; n < 3; n++) {
    const began = performance.now();
    await slow.save({ id: `resp_${n}`, keyId: 'key_1' }, about, kept);
    times.push(performance.now() - began);
  }
  expect(times[0]).toBeLessThan(5_000);
  expect(Math.max(...times.slice(1))).toBeLessThan(500);
  const unreachable = createPrisma('postgresql://nobody@127.0.0.1:1/none', 1);
  const lost = new StoredResponses(unreachable, { secretKey: SECRET, days: 7 });
  await lost.save({ id: 'resp_lost', keyId: 'key_1' }, about, kept);
  await expect.poll(() => lost.lostAt, { timeout: 10_000 }).toBeInstanceOf(Date);
  await unreachable.$disconnect();
});
