import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';

/** An engine version, and when it first and last answered. */
export interface EngineSeen {
  readonly version: string;
  readonly turns: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** A version change of an upstream's engine. */
export interface EngineChange {
  readonly version: string;
  /** Of the first request that it answered. */
  readonly at: Date;
}

/** How far back the version before a range is searched. */
const LOOK_BACK_MS = 30 * 86_400_000;
/** Maximum number of reported changes, the newest. */
const MOST_CHANGES = 50;

/** Maximum number of examined requests, the newest. */
const MOST_TURNS = 50_000;

interface EnginesFilter {
  readonly from: Date;
  readonly to: Date;
  readonly modelId: string;
  readonly teamId: string | undefined;
}

/** The engine versions of the newest 50,000 requests of a model in a range, in order of appearance. */
export const enginesOf = (prisma: PrismaService, filter: EnginesFilter): Promise<EngineSeen[]> => {
  const own = filter.teamId === undefined ? Prisma.empty : Prisma.sql`AND team_id = ${filter.teamId}`;
  return prisma.$queryRaw<EngineSeen[]>`
    SELECT engine_version AS version, count(*)::float8 AS turns, min(at) AS "firstAt", max(at) AS "lastAt"
    FROM (
      SELECT engine_version, at FROM turn
      WHERE model_id = ${filter.modelId} AND at >= ${filter.from} AND at < ${filter.to} ${own}
      ORDER BY at DESC LIMIT ${MOST_TURNS}
    ) AS newest
    WHERE engine_version IS NOT NULL GROUP BY 1 ORDER BY 3, 1 LIMIT 50`;
};

/**
 * The version changes in the newest 50,000 requests of a model in a range, also back to an earlier version, oldest
 * first: by upstream, because several may run different versions.
 */
export const engineChangesOf = (prisma: PrismaService, filter: EnginesFilter): Promise<EngineChange[]> => {
  const { modelId, from, to, teamId } = filter;
  const own = teamId === undefined ? Prisma.empty : Prisma.sql`AND turn.team_id = ${teamId}`;
  const earliest = new Date(from.getTime() - LOOK_BACK_MS);
  return prisma.$queryRaw<EngineChange[]>`
    WITH newest AS (
      SELECT upstream_id, engine_version AS version, at FROM turn
      WHERE model_id = ${modelId} AND at >= ${from} AND at < ${to} AND engine_version IS NOT NULL ${own}
      ORDER BY at DESC LIMIT ${MOST_TURNS}
    ), stepped AS (
      SELECT *, lag(version) OVER (PARTITION BY upstream_id ORDER BY at) AS before FROM newest
    ), changes AS (
      SELECT version, at FROM stepped
      WHERE coalesce(before, (
        SELECT turn.engine_version FROM turn
        WHERE turn.model_id = ${modelId} AND turn.upstream_id = stepped.upstream_id AND turn.engine_version IS NOT NULL
          AND turn.at < stepped.at AND turn.at >= ${earliest} ${own}
        ORDER BY turn.at DESC LIMIT 1
      )) <> version
      ORDER BY at DESC LIMIT ${MOST_CHANGES}
    )
    SELECT version, at FROM changes ORDER BY at`;
};
