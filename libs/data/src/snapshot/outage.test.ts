import { forwarder, testDatabase } from '@callsmith/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPrisma, type PrismaService } from '../database/prisma.ts';
import { hashKey } from '../secrets/secrets.ts';
import { seed } from '../seed/seed.ts';
import { PostgresConfigSnapshot } from './postgres-config-snapshot.ts';

const SECRET = 'outage-test-secret-key-0123456789abc';
let database: Awaited<ReturnType<typeof testDatabase>>;
let line: Awaited<ReturnType<typeof forwarder>>;
let prisma: PrismaService;

beforeAll(async () => {
  database = await testDatabase();
  line = await forwarder(database.url);
  prisma = createPrisma(line.url);
});
afterAll(async () => {
  await prisma.$disconnect();
  await line.stop();
  await database.stop();
});

it('keys are served from memory while the store is unreachable, for a bounded grace period, and it recovers', async () => {
  const apiKey = 'a-key-that-lives-in-memory';
  await seed(prisma, {
    secretKey: SECRET,
    admin: { email: 'a@x.test', password: 'password' },
    apiKey,
    demo: undefined,
  });
  const seen = new PostgresConfigSnapshot(prisma, {
    databaseUrl: line.url,
    secretKey: SECRET,
    demo: undefined,
    dialectOf: () => undefined,
    graceMs: 1_500,
    pollMs: 100,
  });
  await seen.start();
  const until = async (holds: () => boolean) => {
    for (let tries = 0; !holds(); tries++) {
      if (tries > 1_000) throw new Error('did not come to hold');
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  line.cut();
  await until(() => seen.awayMs > 0);
  expect(seen.stale).toBe(false);
  expect(seen.key(hashKey(SECRET, apiKey))).toBeDefined();
  await until(() => seen.stale);
  line.restore();
  await until(() => !seen.stale && seen.awayMs === 0);
  await seen.stop();
});
