import type { LinkKind } from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';
import type { OneTimeLink } from '../generated/prisma/client.ts';
import type { Sealed } from '../secrets/secrets.ts';

/** A valid link. */
export interface LinkRow {
  readonly kind: LinkKind;
  readonly userId: string | null;
  readonly keyId: string | null;
  /** The secret that it hands over. */
  readonly sealed: Sealed | undefined;
  readonly expiresAt: Date;
}

export interface NewLink {
  /** Peppered hash of its token. */
  readonly hash: string;
  readonly kind: LinkKind;
  readonly userId?: string;
  readonly keyId?: string;
  readonly sealed?: Sealed;
  readonly expiresAt: Date;
}

/** Adds links. A new link for a user replaces those of its kind that were not used. */
export async function insertLinks(prisma: PrismaService, links: readonly NewLink[]): Promise<void> {
  await prisma.$transaction(async (tables) => {
    for (const { sealed, ...link } of links) {
      if (link.userId)
        await tables.oneTimeLink.deleteMany({ where: { userId: link.userId, kind: link.kind, usedAt: null } });
      await tables.oneTimeLink.create({
        data: { ...link, ...(sealed && { ciphertext: `${sealed.keyId}.${sealed.ciphertext}` }) },
      });
    }
    await tables.oneTimeLink.deleteMany({ where: { expiresAt: { lt: new Date(Date.now() - 30 * 86_400_000) } } });
  });
}

/** Checks a link without using it up; undefined if it was used, has expired, or never existed. */
export async function findLink(prisma: PrismaService, hash: string): Promise<LinkRow | undefined> {
  const row = await prisma.oneTimeLink.findUnique({ where: { hash } });
  return row && row.usedAt === null && row.expiresAt > new Date() ? linkOf(row) : undefined;
}

/** Uses up a link and deletes its secret; of several concurrent attempts one gets it, the others undefined. */
export async function consumeLink(prisma: PrismaService, hash: string): Promise<LinkRow | undefined> {
  const row = await prisma.oneTimeLink.findUnique({ where: { hash } });
  if (!row) return undefined;
  const now = new Date();
  const { count } = await prisma.oneTimeLink.updateMany({
    where: { hash, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now, ciphertext: null },
  });
  return count === 1 ? linkOf(row) : undefined;
}

function linkOf({ kind, userId, keyId, ciphertext, expiresAt }: OneTimeLink): LinkRow {
  const [sealedBy = '', text = ''] = ciphertext?.split('.') ?? [];
  const sealed = ciphertext === null ? undefined : { keyId: sealedBy, ciphertext: text };
  return { kind: kind as LinkKind, userId, keyId, sealed, expiresAt };
}
