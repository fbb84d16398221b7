import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';

/** An engine version that answered, and when it did first and last. */
export interface EngineSeen {
  readonly version: string;
  readonly turns: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** So many requests are looked at, the newest. */
const MOST_TURNS = 50_000;

/** The engine versions that answered the newest 50,000 requests of a model in a range, in the order in which they came. */
export const enginesOf = (
  prisma: PrismaService,
  filter: { readonly from: Date; readonly to: Date; readonly modelId: string; readonly teamId: string | undefined },
): Promise<EngineSeen[]> => {
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
