import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { type FailureGroup, type TurnFilter, whereOfCalls } from './filter.ts';
import { newest } from './list.ts';

const { sql } = Prisma;

/** A group of similar failures, and its state. */
export interface FailureCluster extends FailureGroup {
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly clients: string[];
  /** UUID of the newest. */
  readonly newestTurn: string;
  readonly state: WorkState;
  readonly resolvedAt: Date | null;
  readonly mutedUntil: Date | null;
  readonly assigneeId: string | null;
  /** E-mail address of the assignee. */
  readonly assignee: string | null;
  readonly note: string | null;
  readonly fixId: string | null;
  /** None in the seven days before the reader's last visit. */
  readonly isNew: boolean;
}

/** `regressed`: it was resolved, and failed again since. */
export type WorkState = 'open' | 'regressed' | 'resolved' | 'muted';

/** The list of groups, and which of them to include. */
export interface WorkList {
  /** Null: the list of all teams. */
  readonly teamId: string | null;
  /** `open`: including regressed ones; `new`: those of them that are new to the reader. */
  readonly state?: 'open' | 'new' | 'resolved' | 'muted' | undefined;
  /** Only groups assigned to this user. */
  readonly assigneeId?: string | undefined;
  /** The reader's last visit; undefined: nothing is new. */
  readonly visit?: Date | undefined;
}

/** The groups of a range, and how many there are in total. */
export interface FailureClusters {
  /** Those with the most failures first. */
  readonly items: readonly FailureCluster[];
  readonly groups: number;
  /** Failed requests in all groups. */
  readonly total: number;
  /** Only this many failures, the newest, were examined, and there are older ones; null: all were. */
  readonly newest: number | null;
}

/** Maximum number of failures that are grouped, the newest. */
const MOST_FAILURES = 20_000;

/** What the failures of a group have in common besides their model's name; any of it may be null. */
const REST = ['model_id', 'strategy_used', 'class', 'tool', 'shape', 'error_code'];

const WEEK_MS = 7 * 86_400_000;

/**
 * The failures of a range by model, strategy used, class, tool and shape; the most frequent first. Groups are listed
 * from `offset` on; if there is none, neither groups nor failures are counted.
 */
export async function clustersOf(
  prisma: PrismaService,
  filter: TurnFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  work: WorkList = { teamId: null },
): Promise<FailureClusters> {
  const { visit } = work;
  const earlier = visit && { ...filter, from: new Date(visit.getTime() - WEEK_MS), to: visit };
  // The time before the last visit is examined only if a group began after it.
  const isNew = earlier
    ? sql`(grouped."firstAt" >= ${visit} AND ${keyOf('grouped')} NOT IN (SELECT ${keyOf('earlier')} FROM earlier))`
    : sql`false`;
  const rows = await prisma.$queryRaw<(FailureCluster & { groups: number; total: number; looked: number })[]>`
    WITH ${failuresOf(filter, 'failing', 'member')}
    ${earlier ? sql`, ${failuresOf(earlier, 'before', 'earlier')}` : Prisma.empty}
    , grouped AS (
      SELECT model, model_id, strategy_used, class, tool, shape, error_code,
        count(DISTINCT id)::float8 AS count, min(at) AS "firstAt", max(at) AS "lastAt",
        (array_agg(DISTINCT client))[1:10] AS clients,
        (array_agg(id ORDER BY at DESC, id DESC))[1]::text AS "newestTurn"
      FROM member GROUP BY 1, 2, 3, 4, 5, 6, 7
    ), worked AS (
      SELECT grouped.*, ${isNew} AS "isNew", work.resolved_at, work.muted_until, work.assignee_id, work.note,
        work.fix_id, ${stateOf(sql`grouped."lastAt"`)} AS state
      FROM grouped LEFT JOIN failure_work AS work
        ON work.team_id IS NOT DISTINCT FROM ${work.teamId} AND ${sameGroup('work', 'grouped')}
    )
    SELECT worked.model, worked.model_id AS "modelId", worked.strategy_used AS "strategyUsed", worked.class,
      worked.tool, worked.shape, worked.error_code AS "errorCode", count, "firstAt", "lastAt", clients, "newestTurn",
      state, "isNew", resolved_at AS "resolvedAt", muted_until AS "mutedUntil", assignee_id AS "assigneeId",
      assignee.email AS assignee, note, fix_id AS "fixId",
      count(*) OVER ()::float8 AS groups, (SELECT count(*) FROM failing)::float8 AS looked,
      CASE WHEN (SELECT count(*) FROM worked) = count(*) OVER () THEN (SELECT count(*) FROM failing)
        ELSE sum(count) OVER () END::float8 AS total
    FROM worked LEFT JOIN "user" AS assignee ON assignee.id = worked.assignee_id
    WHERE ${listed(work)}
    ORDER BY count DESC, "lastAt" DESC, "newestTurn", worked.tool, worked.shape LIMIT ${limit} OFFSET ${offset}`;
  const { groups, total, looked } = rows[0] ?? { groups: 0, total: 0, looked: 0 };
  const items = rows.map(({ groups: _, total: __, looked: ___, ...cluster }) => cluster);
  return { items, groups, total, newest: looked === MOST_FAILURES ? MOST_FAILURES : null };
}

/** Two expressions of a query: the newest failures of a filter, and their groups. */
function failuresOf(filter: TurnFilter, failing: string, member: string): Prisma.Sql {
  const calls = whereOfCalls({ ...filter, failures: true });
  const [failures, bad] = [Prisma.raw(failing), Prisma.raw(`${failing}_call`)];
  return sql`${failures} AS (
      SELECT id, at, model, model_id, strategy_used, classes, client, error_code
      FROM (${newest({ ...filter, failures: true }, undefined)} LIMIT ${MOST_FAILURES}) AS turn
    ), ${bad} AS (
      SELECT turn_id, at, tool, shape, classes[1] AS class FROM call
      WHERE outcome <> 'clean' AND at >= (SELECT min(at) FROM ${failures}) AND at < ${filter.to}
        ${calls ? sql`AND ${calls}` : Prisma.empty}
    ), ${Prisma.raw(member)} AS (
      SELECT turn.id, turn.at, turn.client, turn.model, turn.model_id, turn.strategy_used,
        CASE WHEN bad.turn_id IS NULL THEN turn.classes[1] ELSE bad.class END AS class, bad.tool, bad.shape,
        CASE WHEN bad.turn_id IS NULL THEN turn.error_code END AS error_code
      FROM ${failures} AS turn LEFT JOIN ${bad} AS bad ON bad.turn_id = turn.id AND bad.at = turn.at
    )`;
}

/** A group as one text, never null, so that it can be hashed. */
const keyOf = (table: string): Prisma.Sql =>
  Prisma.raw(`ROW(${['model', ...REST].map((column) => `${table}.${column}`).join(', ')})::text`);

/** True if the rows of two tables belong to the same group. */
const sameGroup = (one: string, other: string): Prisma.Sql =>
  Prisma.raw(
    [
      `${one}.model = ${other}.model`,
      ...REST.map((column) => `${one}.${column} IS NOT DISTINCT FROM ${other}.${column}`),
    ].join(' AND '),
  );

/** The state of a group that last failed at `lastAt`, by a row of `failure_work` named `work` that may be missing. */
const stateOf = (lastAt: Prisma.Sql): Prisma.Sql => sql`
  CASE WHEN work.muted_at IS NOT NULL AND (work.muted_until IS NULL OR work.muted_until > now()) THEN 'muted'
    WHEN work.resolved_at < ${lastAt} THEN 'regressed' WHEN work.resolved_at IS NOT NULL THEN 'resolved' ELSE 'open' END`;

function listed({ state, assigneeId }: WorkList): Prisma.Sql {
  const open = sql`state IN ('open', 'regressed')`;
  const byState = {
    open,
    new: sql`${open} AND "isNew"`,
    resolved: sql`state = 'resolved'`,
    muted: sql`state = 'muted'`,
  };
  return Prisma.join(
    [
      state === undefined ? sql`true` : byState[state],
      ...(assigneeId === undefined ? [] : [sql`worked.assignee_id = ${assigneeId}`]),
    ],
    ' AND ',
  );
}
