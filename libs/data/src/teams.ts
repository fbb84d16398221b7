import { removeTeamFromAlerts } from './alerts/remove-team.ts';
import { audit, type ChangedBy, change } from './database/change.ts';
import type { PrismaService, Tables } from './database/prisma.ts';
import type { Prisma } from './generated/prisma/client.ts';

const withKeys = { _count: { select: { keys: { where: { revokedAt: null } } } } } as const;

/** A team with the count of its keys that are not revoked. */
export type TeamRow = Prisma.TeamGetPayload<{ include: typeof withKeys }>;

/** Teams by name; `id` undefined: all. */
export const listTeams = (prisma: PrismaService, id: string | undefined): Promise<TeamRow[]> =>
  prisma.team.findMany({ where: id === undefined ? {} : { id }, include: withKeys, orderBy: { name: 'asc' } });

/** Null: unknown team. */
export const findTeam = (prisma: PrismaService, id: string): Promise<TeamRow | null> =>
  prisma.team.findUnique({ where: { id }, include: withKeys });

/** Null: no team of this name. */
export const findTeamByName = (prisma: PrismaService, name: string): Promise<TeamRow | null> =>
  prisma.team.findUnique({ where: { name }, include: withKeys });

/** True if another team than `except` has this name. */
export const teamIsNamed = async (prisma: PrismaService, name: string, except?: string): Promise<boolean> =>
  (await prisma.team.count({
    where: { name: { equals: name, mode: 'insensitive' }, ...(except && { id: { not: except } }) },
  })) > 0;

/** Adds a team. */
export function insertTeam(
  prisma: PrismaService,
  by: ChangedBy,
  data: Prisma.TeamUncheckedCreateInput,
): Promise<TeamRow> {
  return change(prisma, async (tables) => {
    const row = await tables.team.create({ data, include: withKeys });
    const { name, storesBodies } = row;
    await audit(tables, by, {
      action: 'team.add',
      targetKind: 'team',
      targetId: row.id,
      teamId: row.id,
      after: { name, storesBodies },
    });
    return row;
  });
}

/** Changes a team. */
export function updateTeam(
  prisma: PrismaService,
  by: ChangedBy,
  id: string,
  data: { name?: string; storesBodies?: boolean; managedBy?: 'file' | null },
): Promise<TeamRow> {
  return change(prisma, async (tables) => {
    const before = await tables.team.findUniqueOrThrow({ where: { id }, select: { name: true, storesBodies: true } });
    const row = await tables.team.update({ where: { id }, data, include: withKeys });
    const after = { name: row.name, storesBodies: row.storesBodies };
    await audit(tables, by, { action: 'team.change', targetKind: 'team', targetId: id, teamId: id, before, after });
    return row;
  });
}

/** The reason why a team cannot be removed. */
export interface TeamUses {
  readonly users: number;
  /** Keys that are not revoked. */
  readonly keys: number;
  /** There is no other team. */
  readonly only: boolean;
}

/**
 * Deletes a team with its revoked keys. Its requests stay; an alert that was limited to it alone is switched off.
 * Returns what prevents it, or null if it was deleted.
 */
export function removeTeam(prisma: PrismaService, by: ChangedBy, id: string): Promise<TeamUses | null> {
  return change(prisma, async (tables) => {
    // Locks, so that no one joins the team meanwhile, and of two concurrent deletions of the last two teams one fails.
    await tables.$queryRaw`SELECT id FROM team WHERE NOT demo ORDER BY id FOR UPDATE`;
    const uses = await usesOfTeam(tables, id);
    if (uses.only || uses.users + uses.keys > 0) return uses;
    await tables.apiKey.deleteMany({ where: { teamId: id } });
    await removeTeamFromAlerts(tables, by, id);
    const team = await tables.team.findUnique({ where: { id }, select: { name: true, storesBodies: true } });
    if (team === null) return null;
    await tables.team.delete({ where: { id } });
    await audit(tables, by, { action: 'team.remove', targetKind: 'team', targetId: id, teamId: id, before: team });
    return null;
  });
}

async function usesOfTeam(tables: Tables, id: string): Promise<TeamUses> {
  const users = await tables.user.count({ where: { teamId: id } });
  const keys = await tables.apiKey.count({ where: { teamId: id, revokedAt: null } });
  const others = await tables.team.count({ where: { demo: false, id: { not: id } } });
  return { users, keys, only: others === 0 };
}
