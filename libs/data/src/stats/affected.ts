import type { PrismaService } from '../prisma.ts';

/** Who uses a model. */
export interface Affected {
  readonly keys: number;
  readonly teams: number;
  readonly turns: number;
}

/** Who used a model in a range: what a switch of its strategy would touch. From hours, so good enough to say "about". */
export async function affectedBy(
  prisma: PrismaService,
  { modelId, from, to, teamId }: { modelId: string; from: Date; to: Date; teamId?: string | undefined },
): Promise<Affected> {
  const [row] = await prisma.$queryRaw<Affected[]>`
    SELECT count(DISTINCT key_id)::float8 AS keys, count(DISTINCT team_id)::float8 AS teams,
      coalesce(sum(turns), 0)::float8 AS turns
    FROM turn_rollup
    WHERE grain = 'hour' AND model_id = ${modelId} AND bucket >= date_trunc('hour', ${from}::timestamptz) AND bucket < ${to}
      AND (${teamId ?? null}::text IS NULL OR team_id = ${teamId ?? ''})`;
  return row ?? { keys: 0, teams: 0, turns: 0 };
}
