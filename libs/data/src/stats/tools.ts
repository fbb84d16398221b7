import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { hoursOfCalls, inBuckets } from '../rollup/sums.ts';
import { type StatsFilter, whereOf } from './filter.ts';

const { sql } = Prisma;
const HOUR_MS = 3_600_000;

/** The outcomes of one tool's calls. */
export interface ToolCounts {
  readonly tool: string;
  readonly clean: number;
  readonly repaired: number;
  readonly invalid: number;
  readonly failed: number;
}

/** Calls by tool over whole hours, the most failures first. Filters by model, team and strategy used. */
export async function toolsOf(prisma: PrismaService, filter: StatsFilter): Promise<ToolCounts[]> {
  const from = new Date(Math.floor(filter.from.getTime() / HOUR_MS) * HOUR_MS);
  const marks = await prisma.rollupMark.findMany({
    where: { grain: 'hour', bucket: { gte: from, lt: filter.to } },
    select: { bucket: true },
  });
  const behind = marks.map(({ bucket }) => bucket);
  const where = whereOf({ modelId: filter.modelId, teamId: filter.teamId, strategyUsed: filter.strategyUsed });
  const recent =
    behind.length === 0
      ? Prisma.empty
      : sql`UNION ALL SELECT * FROM (${hoursOfCalls(inBuckets(behind, HOUR_MS, filter.to), where)}) AS recent`;
  return prisma.$queryRaw<ToolCounts[]>`
    SELECT tool, sum(clean)::float8 AS clean, sum(repaired)::float8 AS repaired,
      sum(invalid)::float8 AS invalid, sum(failed)::float8 AS failed
    FROM (
      SELECT * FROM (
        SELECT bucket, team_id, model_id, upstream_id, strategy_used, tool, clean, repaired, invalid, failed
        FROM call_rollup
        WHERE bucket >= ${from} AND bucket < ${filter.to} AND bucket <> ALL (${behind}::timestamptz[]) AND ${where}
      ) AS rolled
      ${recent}
    ) AS counts
    GROUP BY tool ORDER BY sum(invalid + failed) DESC, sum(repaired) DESC, tool LIMIT 200`;
}
