import type { GroupWork } from '@callsmith/contracts';
import type { FailureCluster, FailureWorkRow } from '@callsmith/data/turns';

/** The state of a listed group. */
export const workOfCluster = ({
  state,
  resolvedAt,
  mutedUntil,
  assigneeId,
  assignee,
  note,
  fixId,
}: Pick<
  FailureCluster,
  'state' | 'resolvedAt' | 'mutedUntil' | 'assigneeId' | 'assignee' | 'note' | 'fixId'
>): GroupWork => ({
  state,
  resolvedAt: resolvedAt?.toISOString() ?? null,
  mutedUntil: mutedUntil?.toISOString() ?? null,
  assignee: assigneeId !== null && assignee !== null ? { id: assigneeId, email: assignee } : null,
  note,
  fixId,
});

/** The state of a group that failed last at `lastAt`; null: none was set. */
export function workView(row: FailureWorkRow | null, lastAt: Date | undefined): GroupWork {
  if (row === null)
    return { state: 'open', resolvedAt: null, mutedUntil: null, assignee: null, note: null, fixId: null };
  const { resolvedAt, mutedUntil, assigneeId, assignee, note, fixId } = row;
  const decided = { resolvedAt, mutedUntil, assigneeId, assignee: assignee?.email ?? null, note, fixId };
  return workOfCluster({ ...decided, state: stateOf(row, lastAt) });
}

function stateOf({ mutedAt, mutedUntil, resolvedAt }: FailureWorkRow, lastAt: Date | undefined): GroupWork['state'] {
  if (mutedAt !== null && (mutedUntil === null || +mutedUntil > Date.now())) return 'muted';
  if (resolvedAt === null) return 'open';
  return lastAt !== undefined && lastAt > resolvedAt ? 'regressed' : 'resolved';
}
