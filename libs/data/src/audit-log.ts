import { type AuditedChange, audit, type ChangedBy } from './database/change.ts';
import type { PrismaService } from './database/prisma.ts';
import type { Audit } from './generated/prisma/client.ts';

export type AuditRow = Audit;

/** Writes an event other than a configuration change into the audit log, e.g. the reading of a body. */
export const writeAudit = (prisma: PrismaService, by: ChangedBy, what: AuditedChange): Promise<void> =>
  audit(prisma, by, what);

/** The filter of the audit log. */
export interface AuditFilter {
  readonly targetKind?: string | undefined;
  readonly targetId?: string | undefined;
  /** The actor as stored in the log: a user's id, or what else made changes. */
  readonly actor?: string | undefined;
  /** Changes, or only reads of message content. */
  readonly kind?: 'changes' | 'reads' | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Actions other than changes: message content was read or searched, or requests were exported. */
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

/** Names of the targets of some entries, by kind and id; deleted ones are left out. */
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
