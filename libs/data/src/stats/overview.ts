import type { PrismaService } from '../database/prisma.ts';
import { percentile } from '../rollup/histogram.ts';
import { chartStepSeconds, periodBefore, type StatsFilter, whereOf } from './filter.ts';
import { type ClassPoint, classesOverTime } from './findings.ts';
import { addedOverTime, type OutcomePoint, outcomesOverTime, type Totals, totalsOf } from './outcomes.ts';

/** The data of an overview; points without turns are missing. */
export interface Overview {
  /** Seconds per point; points are counted from `from`. */
  readonly step: number;
  readonly outcomes: readonly OutcomePoint[];
  readonly classes: readonly ClassPoint[];
  readonly added: readonly { readonly at: Date; readonly p95: number | undefined }[];
  readonly totals: Totals;
  /** The previous period of the same length. */
  readonly before: Totals;
  readonly addedP95: number | undefined;
  readonly addedP95Before: number | undefined;
  /** By model id: when a turn failed last. */
  readonly lastFailed: ReadonlyMap<string, Date>;
  readonly rolledUpTo: Date | undefined;
}

/** Reads an overview. */
export async function overviewOf(prisma: PrismaService, filter: StatsFilter): Promise<Overview> {
  const step = chartStepSeconds(filter);
  const [outcomes, classes, added, totals, before, rolledUp] = await Promise.all([
    outcomesOverTime(prisma, filter, step),
    classesOverTime(prisma, filter, step),
    addedOverTime(prisma, filter, step),
    totalsOf(prisma, filter),
    totalsOf(prisma, periodBefore(filter)),
    rolledUpTo(prisma),
  ]);
  const failing = [...new Set(outcomes.filter(({ failed }) => failed > 0).map(({ modelId }) => modelId))];
  return {
    step,
    outcomes,
    classes,
    added,
    totals,
    before,
    addedP95: percentile(totals.added, 0.95, 'added'),
    addedP95Before: percentile(before.added, 0.95, 'added'),
    lastFailed: await lastFailures(prisma, filter, failing),
    rolledUpTo: rolledUp,
  };
}

/** Until when all minutes are rolled up: until now if no roll-up is due; undefined: there is nothing yet. */
export async function rolledUpTo(prisma: PrismaService): Promise<Date | undefined> {
  const [row] = await prisma.$queryRaw<{ at: Date | null }[]>`
    SELECT coalesce(
      (SELECT min(bucket) FROM rollup_mark WHERE grain = 'minute'),
      (SELECT date_trunc('minute', now()) FROM turn_rollup WHERE grain = 'minute' LIMIT 1)
    ) AS at`;
  return row?.at ?? undefined;
}

async function lastFailures(
  prisma: PrismaService,
  { from, to, teamId, keyId, client }: StatsFilter,
  modelIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  if (modelIds.length === 0) return new Map();
  const where = whereOf({ teamId, keyId, client });
  const rows = await prisma.$queryRaw<{ modelId: string; at: Date }[]>`
    SELECT wanted AS "modelId", last.at FROM unnest(${[...modelIds]}::text[]) AS wanted, LATERAL (
      SELECT at FROM turn WHERE model_id = wanted AND outcome = 'failed' AND at >= ${from} AND at < ${to} AND ${where}
      ORDER BY at DESC LIMIT 1
    ) AS last`;
  return new Map(rows.map(({ modelId, at }) => [modelId, at]));
}
