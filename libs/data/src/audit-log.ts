import { type AuditedChange, audit, type ChangedBy } from './database/change.ts';
import type { PrismaService } from './database/prisma.ts';
import type { Audit } from './generated/prisma/client.ts';

export type AuditRow = Audit;

/** Writes into the audit log what is no change of configuration, e.g. that somebody read a body. */
export const writeAudit = (prisma: PrismaService, by: ChangedBy, what: AuditedChange): Promise<void> =>
  audit(prisma, by, what);

/** Which entries of the audit log. */
export interface AuditFilter {
  readonly targetKind?: string | undefined;
  readonly targetId?: string | undefined;
  /** As it stands in the log: a user's id, or who else made changes. */
  readonly actor?: string | undefined;
  /** Changes, or only that somebody read message content. */
  readonly kind?: 'changes' | 'reads' | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** What is no change: somebody read or searched message content, or took requests out. */
const READS = ['turn.read', 'turn.replay', 'turns.export', 'turns.search'];

/** The audit log, newest first; `before`: older than this id. */
export function listAudit(
  prisma: PrismaService,
  { targetKind, targetId, actor, kind, from, to }: AuditFilter,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<AuditRow[]> {
  return prisma.audit.findMany({
    where: {
      ...(targetKind !== undefined && { targetKind }),
      ...(targetId !== undefined && { targetId }),
      ...(actor !== undefined && { actor }),
      ...(kind !== undefined && { action: kind === 'reads' ? { in: READS } : { notIn: READS } }),
      at: { ...(from && { gte: from }), ...(to && { lt: to }) },
      ...(before !== undefined && { id: { lt: before } }),
    },
    orderBy: { id: 'desc' },
    take: limit,
  });
}

/** What people call the targets of some entries, by kind and id; those that are gone are left out. */
export async function namesOfTargets(
  prisma: PrismaService,
  rows: readonly Pick<AuditRow, 'targetKind' | 'targetId'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = (kind: string) => ({
    id: { in: [...new Set(rows.filter((row) => row.targetKind === kind).map(({ targetId }) => targetId))] },
  });
  const select = { id: true, name: true } as const;
  const [models, teams, upstreams, users, keys] = await Promise.all([
    prisma.model.findMany({ where: ids('model'), select }),
    prisma.team.findMany({ where: ids('team'), select }),
    prisma.upstream.findMany({ where: ids('upstream'), select }),
    prisma.user.findMany({ where: ids('user'), select: { id: true, email: true } }),
    prisma.apiKey.findMany({ where: ids('key'), select: { id: true, holder: true } }),
  ]);
  const named = [...models, ...teams, ...upstreams].map(({ id, name }) => [id, name] as const);
  return new Map([
    ...named,
    ...users.map(({ id, email }) => [id, email] as const),
    ...keys.map(({ id, holder }) => [id, holder] as const),
  ]);
}
