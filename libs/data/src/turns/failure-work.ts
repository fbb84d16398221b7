import { createHash } from 'node:crypto';
import { audit, type ChangedBy } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import { type Audit, Prisma } from '../generated/prisma/client.ts';
import type { FailureGroup } from './filter.ts';

const withAssignee = { assignee: { select: { id: true, email: true } } } as const;

/** The state of a group of failures, in one list. */
export type FailureWorkRow = Prisma.FailureWorkGetPayload<{ include: typeof withAssignee }>;

/** A change of the state; omitted fields stay unchanged. */
export interface WorkChange {
  readonly resolvedAt?: Date | null;
  readonly mutedAt?: Date | null;
  readonly mutedUntil?: Date | null;
  readonly assigneeId?: string | null;
  readonly note?: string | null;
  readonly fixId?: string | null;
}

/** A new visit begins after this absence. */
const VISIT_MINUTES = 30;

/** Records that a user visits the failures. Returns when the previous visit ended; undefined: there was none. */
export async function visitFailures(prisma: PrismaService, userId: string): Promise<Date | undefined> {
  const [row] = await prisma.$queryRaw<{ before: Date | null }[]>`
    INSERT INTO failure_visit (user_id, seen_at) VALUES (${userId}, now())
    ON CONFLICT (user_id) DO UPDATE SET seen_at = now(),
      before_at = CASE WHEN failure_visit.seen_at < now() - ${VISIT_MINUTES} * interval '1 minute'
        THEN failure_visit.seen_at ELSE failure_visit.before_at END
    RETURNING before_at AS before`;
  return row?.before ?? undefined;
}

/** The state of a group in a list: of a team, or (null) of all teams. Null: none. */
export const findFailureWork = (
  prisma: PrismaService,
  teamId: string | null,
  group: FailureGroup,
): Promise<FailureWorkRow | null> =>
  prisma.failureWork.findUnique({ where: { key: keyOf(teamId, group) }, include: withAssignee });

/** Changes the state of a group in a list (audited). */
export function putFailureWork(
  prisma: PrismaService,
  by: ChangedBy,
  { teamId, group }: { readonly teamId: string | null; readonly group: FailureGroup },
  change: WorkChange,
): Promise<FailureWorkRow> {
  const key = keyOf(teamId, group);
  return prisma.$transaction(async (tables) => {
    const before = await tables.failureWork.findUnique({ where: { key } });
    const row = await tables.failureWork.upsert({
      where: { key },
      create: { key, teamId, ...group, ...change },
      update: change,
      include: withAssignee,
    });
    await audit(tables, by, {
      action: 'failures.work',
      targetKind: 'failures',
      targetId: key,
      teamId,
      before: before && auditFields(before),
      after: { ...group, ...auditFields(row) },
    });
    return row;
  });
}

/** The changes of a model since an instant that may be a fix, newest first, at most 20; and the one of an id. */
export async function modelChanges(
  prisma: PrismaService,
  modelId: string,
  { since, id }: { readonly since: Date; readonly id: string | null },
): Promise<Audit[]> {
  const ofModel = { targetKind: 'model', targetId: modelId };
  const rows = await prisma.audit.findMany({
    where: { ...ofModel, action: { in: [...FIXES] }, at: { gte: since } },
    orderBy: { id: 'desc' },
    take: 20,
  });
  if (id === null || rows.some((row) => row.id === id)) return rows;
  return [...rows, ...(await prisma.audit.findMany({ where: { ...ofModel, id } }))];
}

/** Changes that affect how a model's calls are made: its settings, a choice of `auto`, an experiment. */
const FIXES = ['model.change', 'model.auto', 'model.experiment'];

/** Possible assignees of a group: the members of a team, or (null) admins. */
export const peopleOf = (prisma: PrismaService, teamId: string | null): Promise<{ id: string; email: string }[]> =>
  prisma.user.findMany({
    where: { disabledAt: null, ...(teamId === null ? { role: 'admin' } : { teamId }) },
    select: { id: true, email: true },
    orderBy: { email: 'asc' },
    take: 500,
  });

function keyOf(teamId: string | null, group: FailureGroup): string {
  const { model, modelId, strategyUsed, class: name, tool, shape, errorCode } = group;
  const text = JSON.stringify([teamId, model, modelId, strategyUsed, name, tool, shape, errorCode]);
  return createHash('sha256').update(text).digest('hex');
}

const auditFields = ({
  resolvedAt,
  mutedAt,
  mutedUntil,
  assigneeId,
  note,
  fixId,
}: Omit<FailureWorkRow, 'assignee'>) => ({
  resolvedAt,
  mutedAt,
  mutedUntil,
  assigneeId,
  note,
  fixId,
});
