import type { PrismaService } from '../database/prisma.ts';
import { hashLink, newToken } from '../secrets/secrets.ts';
import { insertLinks } from './one-time-links.ts';

/** How long a sign-in link is valid: a day. */
const LINK_MS = 24 * 3_600_000;

/** Creates the token of a link that signs a user in once, within 24 hours; the user's previous one stops working. */
export async function makeSignInLink(prisma: PrismaService, secretKey: string, userId: string): Promise<string> {
  const token = newToken();
  const expiresAt = new Date(Date.now() + LINK_MS);
  await insertLinks(prisma, [{ hash: hashLink(secretKey, token), kind: 'sign-in', userId, expiresAt }]);
  return token;
}
