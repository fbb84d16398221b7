import type { PrismaService } from '../database/prisma.ts';
import { rolledUpRange, turnSums } from '../rollup/rolled-up-range.ts';
import { grainOfRange, type StatsFilter, whereOf } from './filter.ts';

/** Who uses a model. */
export interface AffectedUsers {
  readonly keys: number;
  readonly teams: number;
  readonly turns: number;
}

/**
 * The users of a model in a range, including a turn that has just ended: those affected by a switch of its strategy.
 */
export async function affectedBy(
  prisma: PrismaService,
  filter: StatsFilter & { readonly modelId: string },
): Promise<AffectedUsers> {
  const cover = await rolledUpRange(prisma, { from: filter.from, to: filter.to, grain: grainOfRange(filter) });
  const [row] = await prisma.$queryRaw<AffectedUsers[]>`
    SELECT count(DISTINCT nullif(key_id, ''))::float8 AS keys, count(DISTINCT nullif(team_id, ''))::float8 AS teams,
      coalesce(sum(turns), 0)::float8 AS turns
    FROM (${turnSums(cover, whereOf(filter))}) AS sums`;
  return row ?? { keys: 0, teams: 0, turns: 0 };
}
