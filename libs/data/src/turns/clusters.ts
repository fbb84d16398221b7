import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { type FailureGroup, type TurnFilter, whereOfCalls } from './filter.ts';
import { newest } from './list.ts';

const { sql } = Prisma;

/** Failures that belong together. */
export interface FailureCluster extends FailureGroup {
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly clients: string[];
  /** UUID of the newest. */
  readonly newestTurn: string;
}

/** The groups of a range, and how many there are beyond those that are listed. */
export interface FailureClusters {
  /** Those with the most failures first. */
  readonly items: readonly FailureCluster[];
  readonly groups: number;
  /** Failed requests in all groups. */
  readonly total: number;
  /** So many failures were looked at, the newest, and there are older ones; null: all were. */
  readonly newest: number | null;
}

/** Clusters are made of so many failures, the newest. */
const MOST_FAILURES = 20_000;

/**
 * The failures of a range by model, strategy used, class, tool and shape; the most first. Groups are listed from
 * `offset` on; where none is there, neither groups nor failures are counted.
 */
export async function clustersOf(
  prisma: PrismaService,
  filter: TurnFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<FailureClusters> {
  const calls = whereOfCalls({ ...filter, failures: true });
  const failing = newest({ ...filter, failures: true }, undefined);
  const rows = await prisma.$queryRaw<(FailureCluster & { groups: number; total: number })[]>`
    WITH failing AS (
      SELECT id, at, model, model_id, strategy_used, classes, client, error_code
      FROM (${failing} LIMIT ${MOST_FAILURES}) AS turn
    ), bad AS (
      SELECT turn_id, at, tool, shape, classes[1] AS class FROM call
      WHERE outcome <> 'clean' AND at >= (SELECT min(at) FROM failing) AND at < ${filter.to}
        ${calls ? sql`AND ${calls}` : Prisma.empty}
    )
    SELECT failing.model, failing.model_id AS "modelId", failing.strategy_used AS "strategyUsed",
      CASE WHEN bad.turn_id IS NULL THEN failing.classes[1] ELSE bad.class END AS class, bad.tool, bad.shape,
      CASE WHEN bad.turn_id IS NULL THEN failing.error_code END AS "errorCode",
      count(DISTINCT failing.id)::float8 AS count, min(failing.at) AS "firstAt", max(failing.at) AS "lastAt",
      (array_agg(DISTINCT failing.client))[1:10] AS clients,
      (array_agg(failing.id ORDER BY failing.at DESC, failing.id DESC))[1]::text AS "newestTurn",
      count(*) OVER ()::float8 AS groups, (SELECT count(*) FROM failing)::float8 AS total
    FROM failing LEFT JOIN bad ON bad.turn_id = failing.id AND bad.at = failing.at
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    ORDER BY count DESC, "lastAt" DESC, "newestTurn", bad.tool, bad.shape LIMIT ${limit} OFFSET ${offset}`;
  const { groups, total } = rows[0] ?? { groups: 0, total: 0 };
  const items = rows.map(({ groups: _, total: __, ...cluster }) => cluster);
  return { items, groups, total, newest: total === MOST_FAILURES ? MOST_FAILURES : null };
}
