import type { FindingClass } from '@callsmith/turn';
import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { findingCounts, rolledUpRange } from '../rollup/rolled-up-range.ts';
import type { Grain } from '../rollup/sums.ts';
import { NOT_CLEAN_CONDITION } from '../turns/filter.ts';
import { alignedToBucket, grainFor, grainOfRange, type StatsFilter, whereOf } from './filter.ts';

const { sql } = Prisma;

/** How many turns of one model had a finding of a class in one time step. */
export interface ClassPoint {
  readonly at: Date;
  readonly modelId: string;
  readonly class: FindingClass;
  readonly count: number;
}

/** Classes over time, by model. Steps are counted from `filter.from`. */
export async function classesOverTime(prisma: PrismaService, filter: StatsFilter, step: number): Promise<ClassPoint[]> {
  const grain = grainFor(step);
  const { from } = alignedToBucket(filter, grain);
  return prisma.$queryRaw<ClassPoint[]>`
    SELECT date_bin(make_interval(secs => ${step}), bucket, ${from}::timestamptz) AS at, model_id AS "modelId",
      class, sum(count)::float8 AS count
    FROM (${await counts(prisma, filter, grain)}) AS counts WHERE class <> ''
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
}

/** How often each rule repaired a call; the most frequent first. */
export async function rulesOf(prisma: PrismaService, filter: StatsFilter): Promise<{ rule: string; count: number }[]> {
  const grain = grainOfRange(filter);
  return prisma.$queryRaw<{ rule: string; count: number }[]>`
    SELECT rule, sum(count)::float8 AS count
    FROM (${await counts(prisma, filter, grain)}) AS counts WHERE rule <> ''
    GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 100`;
}

/** Findings are not rolled up by client and key: with such a filter they are read from the turns that are not clean. */
async function counts(prisma: PrismaService, filter: StatsFilter, grain: Grain): Promise<Prisma.Sql> {
  if (filter.client === undefined && filter.keyId === undefined) {
    return findingCounts(await rolledUpRange(prisma, { from: filter.from, to: filter.to, grain }), whereOf(filter));
  }
  return sql`
    SELECT date_trunc('minute', turn.at) AS bucket, coalesce(model_id, '') AS model_id, class, '' AS rule, 1 AS count
    FROM turn, unnest(classes) AS class
    WHERE turn.at >= ${filter.from} AND turn.at < ${filter.to} AND ${NOT_CLEAN_CONDITION} AND ${whereOf(filter)}
    UNION ALL
    SELECT date_trunc('minute', turn.at), coalesce(model_id, ''), '', rule, 1
    FROM turn JOIN call ON call.turn_id = turn.id AND call.at = turn.at, unnest(call.rules) AS rule
    WHERE turn.at >= ${filter.from} AND turn.at < ${filter.to} AND call.at >= ${filter.from} AND call.at < ${filter.to}
      AND ${NOT_CLEAN_CONDITION} AND ${whereOf(filter)}`;
}
