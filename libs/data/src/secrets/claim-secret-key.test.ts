import { testDatabase } from '@callsmith/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPrisma, type PrismaService } from '../database/prisma.ts';
import { claimSecretKey, secretKeyOfDatabase, WrongSecretKey } from './claim-secret-key.ts';
import { cipherKeyId, seal, unseal } from './secrets.ts';

const first = 'the first secret key of these tests, long enough';
const second = 'the second secret key of these tests, long enough';
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
beforeEach(async () => {
  await prisma.setting.deleteMany({});
  await prisma.responseState.deleteMany({});
  await prisma.upstream.deleteMany({});
});

/** An upstream whose credential was encrypted under `secretKey`, and `answers` stored responses. */
async function sealedUnder(secretKey: string, answers = 1): Promise<void> {
  const credential = seal(secretKey, 'sk-upstream');
  const headers = seal(secretKey, '{"X-Team":"a"}');
  await prisma.upstream.create({
    data: {
      id: 'up_1',
      name: 'gpu',
      origin: 'admin',
      baseUrl: 'http://127.0.0.1:1/v1',
      credential: credential.ciphertext,
      credentialKeyId: credential.keyId,
      headers: headers.ciphertext,
      headersKeyId: headers.keyId,
    },
  });
  const { ciphertext, keyId: cipherKeyId } = seal(secretKey, '{"answer":1}');
  await prisma.responseState.createMany({
    data: Array.from({ length: answers }, (_, at) => ({
      id: `resp_${at}`,
      keyId: 'key_1',
      model: 'm',
      ciphertext,
      cipherKeyId,
      expiresAt: new Date(Date.now() + 60_000),
    })),
  });
}

it('D-41 the key that a database was set up with is accepted every time, another is refused by name', async () => {
  await claimSecretKey(prisma, { secretKey: first });
  await claimSecretKey(prisma, { secretKey: first });
  await expect(claimSecretKey(prisma, { secretKey: second })).rejects.toThrow(WrongSecretKey);
  await expect(claimSecretKey(prisma, { secretKey: second })).rejects.toThrow(/SECRET_KEY/);
  await claimSecretKey(prisma, { secretKey: first });
});

it('D-41 a database from before there were fingerprints is recognized by what was encrypted in it', async () => {
  await sealedUnder(first);
  await expect(claimSecretKey(prisma, { secretKey: second })).rejects.toThrow(WrongSecretKey);
  await claimSecretKey(prisma, { secretKey: first });
});

it('D-41 with the former key also given, a new key takes over and everything is encrypted again', async () => {
  await sealedUnder(first, 1_203);
  await claimSecretKey(prisma, { secretKey: first });
  await claimSecretKey(prisma, { secretKey: second, previous: first });
  const upstream = await prisma.upstream.findUniqueOrThrow({ where: { id: 'up_1' } });
  expect(unseal(second, { ciphertext: upstream.credential ?? '', keyId: upstream.credentialKeyId ?? '' })).toBe(
    'sk-upstream',
  );
  expect(unseal(second, { ciphertext: upstream.headers ?? '', keyId: upstream.headersKeyId ?? '' })).toBe(
    '{"X-Team":"a"}',
  );
  expect(await prisma.responseState.count({ where: { cipherKeyId: cipherKeyId(second) } })).toBe(1_203);
  const answer = await prisma.responseState.findUniqueOrThrow({ where: { id: 'resp_1202' } });
  expect(unseal(second, { ciphertext: answer.ciphertext, keyId: answer.cipherKeyId })).toBe('{"answer":1}');
  await expect(claimSecretKey(prisma, { secretKey: first })).rejects.toThrow(WrongSecretKey);
  await claimSecretKey(prisma, { secretKey: second, previous: first });
});

it('D-41 while the key is being changed, checking which one is in use changes nothing', async () => {
  await sealedUnder(first, 3);
  await claimSecretKey(prisma, { secretKey: first });
  expect(await secretKeyOfDatabase(prisma, { secretKey: second, previous: first })).toBe(first);
  expect(await prisma.responseState.count({ where: { cipherKeyId: cipherKeyId(first) } })).toBe(3);
  await expect(secretKeyOfDatabase(prisma, { secretKey: second })).rejects.toThrow(WrongSecretKey);
  await claimSecretKey(prisma, { secretKey: second, previous: first });
  expect(await secretKeyOfDatabase(prisma, { secretKey: second, previous: first })).toBe(second);
});

it('D-41 a former key that is not the database’s does not help', async () => {
  await claimSecretKey(prisma, { secretKey: first });
  await expect(
    claimSecretKey(prisma, { secretKey: second, previous: 'neither the one nor the other, but long enough' }),
  ).rejects.toThrow(WrongSecretKey);
});

it('D-41 gateways that start together with both keys re-encrypt once', async () => {
  await sealedUnder(first, 20);
  await claimSecretKey(prisma, { secretKey: first });
  await Promise.all([1, 2, 3].map(() => claimSecretKey(prisma, { secretKey: second, previous: first })));
  expect(await prisma.responseState.count({ where: { cipherKeyId: cipherKeyId(second) } })).toBe(20);
});
