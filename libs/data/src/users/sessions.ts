import type { PrismaService } from '../database/prisma.ts';
import type { UserRow } from './users.ts';

/** Adds a session of a user, and deletes expired ones. */
export async function insertSession(
  prisma: PrismaService,
  session: { hash: string; userId: string; expiresAt: Date },
): Promise<void> {
  await prisma.session.create({ data: session });
  await prisma.session.deleteMany({ where: { expiresAt: { lt: new Date() } } });
}

/** The user of a session; undefined if it is unknown or has ended, or its user is disabled. */
export async function userOfSession(prisma: PrismaService, hash: string): Promise<UserRow | undefined> {
  const session = await prisma.session.findUnique({ where: { hash }, include: { user: true } });
  if (!session || session.expiresAt <= new Date() || session.user.disabledAt) return undefined;
  return session.user;
}

/** Ends a session, if it exists. */
export async function deleteSession(prisma: PrismaService, hash: string): Promise<void> {
  await prisma.session.deleteMany({ where: { hash } });
}
