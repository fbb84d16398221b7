import { createHash } from 'node:crypto';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { cipherKeyId, hashKey, seal, unseal } from './secrets.ts';

/** The setting that identifies a database's SECRET_KEY, without revealing it. */
const FINGERPRINT = 'secret-key.fingerprint';

/** The advisory lock under which gateways compare and re-encrypt one after the other. */
const LOCK = 5275174;

/** Stored responses that are re-encrypted per statement. */
const BATCH = 500;

/** The configured key, and the previous one while it is being changed. */
interface SecretKeys {
  readonly secretKey: string;
  readonly previous?: string | undefined;
}

/** The database was set up with another SECRET_KEY. */
export class WrongSecretKey extends Error {
  override readonly name = 'WrongSecretKey';
  constructor() {
    super(
      'SECRET_KEY is not the key that this database was set up with, so its API keys, sessions and credentials could not be read. Set the right SECRET_KEY; to change the key, set the new one as SECRET_KEY and the old one as SECRET_KEY_PREVIOUS.',
    );
  }
}

/**
 * Checks that `secretKey` is the key of this database: stores its fingerprint in a database without one, and
 * re-encrypts everything if the database's key is `previous`. Throws `WrongSecretKey` for any other.
 */
export async function claimSecretKey(prisma: PrismaService, keys: SecretKeys): Promise<void> {
  const { secretKey } = keys;
  await prisma.$transaction(
    async (tables) => {
      await tables.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`;
      const found = await fingerprintIn(tables);
      const current = matchingKey(found, keys);
      if (current !== secretKey) await sealAnew(tables, { from: current, to: secretKey });
      const value = fingerprint(secretKey);
      if (found === value) return;
      await tables.setting.upsert({
        where: { name: FINGERPRINT },
        create: { name: FINGERPRINT, value },
        update: { value },
      });
    },
    { maxWait: 60_000, timeout: 600_000 },
  );
}

/**
 * Which of the keys this database uses now: the one that a running gateway reads it with. Changes nothing. Throws
 * `WrongSecretKey` if it is neither.
 */
export const secretKeyOfDatabase = async (prisma: PrismaService, keys: SecretKeys): Promise<string> =>
  matchingKey(await fingerprintIn(prisma), keys);

/** Whether this database was set up with a key. */
export const hasSecretKey = async (prisma: PrismaService): Promise<boolean> =>
  (await fingerprintIn(prisma)) !== undefined;

function matchingKey(found: string | undefined, { secretKey, previous }: SecretKeys): string {
  for (const key of [secretKey, previous])
    if (key !== undefined && (found === undefined || found === fingerprint(key) || found === cipherKeyId(key)))
      return key;
  throw new WrongSecretKey();
}

/**
 * The identity of the database's key: its fingerprint; in a database from before there were fingerprints the id of the
 * key that something in it was encrypted with; undefined if nothing was encrypted yet.
 */
async function fingerprintIn(tables: Tables): Promise<string | undefined> {
  const row = await tables.setting.findUnique({ where: { name: FINGERPRINT } });
  if (typeof row?.value === 'string') return row.value;
  const upstream = await tables.upstream.findFirst({
    where: { credentialKeyId: { not: null } },
    select: { credentialKeyId: true },
  });
  if (upstream?.credentialKeyId) return upstream.credentialKeyId;
  const webhook = await tables.webhook.findFirst({ select: { secretKeyId: true } });
  if (webhook) return webhook.secretKeyId;
  const response = await tables.responseState.findFirst({ select: { cipherKeyId: true } });
  return response?.cipherKeyId;
}

async function sealAnew(tables: Tables, keys: { readonly from: string; readonly to: string }): Promise<void> {
  const again = (ciphertext: string) => seal(keys.to, unseal(keys.from, { ciphertext, keyId: oldId }));
  const oldId = cipherKeyId(keys.from);
  for (const { id, credential } of await tables.upstream.findMany({ where: { credentialKeyId: oldId } })) {
    if (credential === null) continue;
    const sealed = again(credential);
    await tables.upstream.update({
      where: { id },
      data: { credential: sealed.ciphertext, credentialKeyId: sealed.keyId },
    });
  }
  for (const { id, headers } of await tables.upstream.findMany({ where: { headersKeyId: oldId } })) {
    if (headers === null) continue;
    const sealed = again(headers);
    await tables.upstream.update({ where: { id }, data: { headers: sealed.ciphertext, headersKeyId: sealed.keyId } });
  }
  for (const { id, credential } of await tables.mcpServer.findMany({ where: { credentialKeyId: oldId } })) {
    if (credential === null) continue;
    const sealed = again(credential);
    await tables.mcpServer.update({
      where: { id },
      data: { credential: sealed.ciphertext, credentialKeyId: sealed.keyId },
    });
  }
  for (const { id, secret } of await tables.webhook.findMany({ where: { secretKeyId: oldId } })) {
    const sealed = again(secret);
    await tables.webhook.update({ where: { id }, data: { secret: sealed.ciphertext, secretKeyId: sealed.keyId } });
  }
  for (;;) {
    const rows = await tables.responseState.findMany({ where: { cipherKeyId: oldId }, take: BATCH });
    for (const { id, ciphertext } of rows) {
      const sealed = again(ciphertext);
      await tables.responseState.update({
        where: { id },
        data: { ciphertext: sealed.ciphertext, cipherKeyId: sealed.keyId },
      });
    }
    if (rows.length < BATCH) return;
  }
}

/** Sixteen hex digits that distinguish keys and reveal nothing about them. */
const fingerprint = (secretKey: string): string =>
  createHash('sha256')
    .update(`callsmith fingerprint\0${hashKey(secretKey, 'fingerprint')}`)
    .digest('hex')
    .slice(0, 16);
