import { audit, type ChangedBy, change } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import type { Prisma, User } from '../generated/prisma/client.ts';

/** A user without the password's hash. */
export type UserRow = User;
export type UserRowChange = Prisma.UserUncheckedUpdateInput;

/** Users by e-mail address. */
export const listUsers = (prisma: PrismaService): Promise<UserRow[]> =>
  prisma.user.findMany({ orderBy: { email: 'asc' } });

/** Null: unknown user. */
export const findUser = (prisma: PrismaService, id: string): Promise<UserRow | null> =>
  prisma.user.findUnique({ where: { id } });

/** By address, regardless of case. Null: unknown. */
export const findUserByEmail = (prisma: PrismaService, email: string): Promise<UserRow | null> =>
  prisma.user.findUnique({ where: { email: email.toLowerCase() } });

/** By the subject of an OpenID Connect provider. Null: unknown. */
export const findUserByOidc = (prisma: PrismaService, oidcSubject: string): Promise<UserRow | null> =>
  prisma.user.findUnique({ where: { oidcSubject } });

/** E-mail addresses by user id, for showing who did something; of deleted users the last one. */
export async function emailsOf(prisma: PrismaService, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const uniqueIds = [...new Set(ids)];
  const rows = await prisma.user.findMany({ where: { id: { in: uniqueIds } }, select: { id: true, email: true } });
  const emails = new Map(rows.map(({ id, email }) => [id, email]));
  const deletedIds = uniqueIds.filter((id) => !emails.has(id) && id.startsWith('user_'));
  if (deletedIds.length === 0) return emails;
  const removals = await prisma.audit.findMany({
    where: { targetKind: 'user', targetId: { in: deletedIds }, action: 'user.remove' },
    select: { targetId: true, before: true },
  });
  for (const { targetId, before } of removals) emails.set(targetId, (before as { email: string }).email);
  return emails;
}

/** Adds a user; the address is stored in lower case. */
export function insertUser(
  prisma: PrismaService,
  by: ChangedBy,
  data: Prisma.UserUncheckedCreateInput,
): Promise<UserRow> {
  return change(prisma, async (tables) => {
    const row = await tables.user.create({ data: { ...data, email: data.email.toLowerCase() } });
    await audit(tables, by, {
      action: 'user.add',
      targetKind: 'user',
      targetId: row.id,
      teamId: row.teamId,
      after: auditFields(row),
    });
    return row;
  });
}

/**
 * Changes a user; with a new password, or when disabled, all sessions end except `keepSession`. Undefined, without a
 * change: no admin who can sign in would be left.
 */
export function updateUser(
  prisma: PrismaService,
  by: ChangedBy,
  {
    id,
    action,
    data,
    keepSession,
  }: { id: string; action: string; data: UserRowChange; keepSession?: string | undefined },
): Promise<UserRow | undefined> {
  return change(prisma, async (tables) => {
    await tables.$executeRaw`SELECT pg_advisory_xact_lock(5275174)`;
    const before = await tables.user.findUniqueOrThrow({ where: { id } });
    const demoted =
      before.role === 'admin' && (Boolean(data.disabledAt) || (data.role !== undefined && data.role !== 'admin'));
    if (demoted && !(await otherAdmin(tables, id))) return undefined;
    const after = await tables.user.update({ where: { id }, data });
    if (data.passwordHash !== undefined || data.disabledAt)
      await tables.session.deleteMany({ where: { userId: id, ...(keepSession && { hash: { not: keepSession } }) } });
    await audit(tables, by, {
      action,
      targetKind: 'user',
      targetId: id,
      teamId: after.teamId,
      before: auditFields(before),
      after: auditFields(after),
    });
    return after;
  });
}

/**
 * Deletes a user: sessions, links and own views are deleted; assigned failures become unassigned, and the audit log
 * still names the user. False, without a change: no admin who can sign in would be left.
 */
export function removeUser(prisma: PrismaService, by: ChangedBy, id: string): Promise<boolean> {
  return change(prisma, async (tables) => {
    await tables.$executeRaw`SELECT pg_advisory_xact_lock(5275174)`;
    const user = await tables.user.findUnique({ where: { id } });
    if (user === null) return true;
    if (user.role === 'admin' && !(await otherAdmin(tables, id))) return false;
    await tables.oneTimeLink.deleteMany({ where: { userId: id } });
    await tables.user.delete({ where: { id } });
    await audit(tables, by, {
      action: 'user.remove',
      targetKind: 'user',
      targetId: id,
      teamId: user.teamId,
      before: auditFields(user),
    });
    return true;
  });
}

const otherAdmin = async (tables: Tables, id: string): Promise<boolean> =>
  (await tables.user.count({ where: { role: 'admin', disabledAt: null, id: { not: id } } })) > 0;

const auditFields = ({ email, name, role, teamId, disabledAt }: UserRow) => ({ email, name, role, teamId, disabledAt });
