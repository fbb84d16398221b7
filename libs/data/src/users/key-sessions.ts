import { audit, type ChangedBy } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import type { KeyRow } from '../keys.ts';

/** The key whose owner has a session. */
export interface KeyOfSession {
  readonly id: string;
  /** The hash by which the config snapshot knows it. */
  readonly hash: string;
}

type OwnedKey = Pick<KeyRow, 'id' | 'teamId' | 'holder'>;

const aboutKey = ({ id, teamId, holder }: OwnedKey, after: object) => ({
  targetKind: 'key',
  targetId: id,
  teamId,
  after: { holder, ...after },
});

/** Adds a link to the page of a key's owner; it replaces one that was not opened. `hash`: of its token. */
export async function insertConnectLink(
  prisma: PrismaService,
  by: ChangedBy,
  { hash, key, expiresAt }: { readonly hash: string; readonly key: OwnedKey; readonly expiresAt: Date },
): Promise<void> {
  await prisma.$transaction(async (tables) => {
    await tables.oneTimeLink.deleteMany({ where: { keyId: key.id, kind: 'connect', usedAt: null } });
    await tables.oneTimeLink.create({ data: { hash, kind: 'connect', keyId: key.id, expiresAt } });
    await audit(tables, by, { action: 'key.connect-link', ...aboutKey(key, { expiresAt }) });
  });
}

/** Starts a session of a key's owner, who is the actor. `hash`: of the cookie's secret. */
export async function insertKeySession(
  prisma: PrismaService,
  { hash, key, expiresAt }: { readonly hash: string; readonly key: OwnedKey; readonly expiresAt: Date },
): Promise<void> {
  await prisma.$transaction(async (tables) => {
    await tables.keySession.create({ data: { hash, keyId: key.id, expiresAt } });
    await audit(tables, { actor: key.id }, { action: 'key.connect', ...aboutKey(key, { expiresAt }) });
  });
}

/**
 * The key of a session; undefined if the session is unknown or has ended, or the key was revoked, rotated or has
 * expired.
 */
export async function keyOfSession(prisma: PrismaService, hash: string): Promise<KeyOfSession | undefined> {
  const now = new Date();
  const session = await prisma.keySession.findFirst({
    where: {
      hash,
      expiresAt: { gt: now },
      key: { revokedAt: null, rotatedTo: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    },
    select: { key: { select: { id: true, hash: true } } },
  });
  return session?.key;
}

/** Ends a session, if it exists. */
export async function deleteKeySession(prisma: PrismaService, hash: string): Promise<void> {
  await prisma.keySession.deleteMany({ where: { hash } });
}
