import { audit, type By, type Changed } from './database/change.ts';
import type { PrismaService } from './database/prisma.ts';
import type { Audit } from './generated/prisma/client.ts';

export type AuditRow = Audit;

/** Writes into the audit log what is no change of configuration, e.g. that somebody read a body. */
export const writeAudit = (prisma: PrismaService, by: By, what: Changed): Promise<void> => audit(prisma, by, what);

/** The audit log, newest first; `before`: older than this id. */
export function listAudit(
  prisma: PrismaService,
  {
    targetKind,
    targetId,
    before,
    limit,
  }: { targetKind?: string | undefined; targetId?: string | undefined; before: string | undefined; limit: number },
): Promise<AuditRow[]> {
  return prisma.audit.findMany({
    where: {
      ...(targetKind !== undefined && { targetKind }),
      ...(targetId !== undefined && { targetId }),
      ...(before !== undefined && { id: { lt: before } }),
    },
    orderBy: { id: 'desc' },
    take: limit,
  });
}
