import type { UsageBy } from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { percentile } from '../rollup/histogram.ts';
import { modelSums, type RolledUpRange, rolledUpRange, turnSums } from '../rollup/rolled-up-range.ts';
import { alignedToBucket, grainFor, grainOfRange, isByModel, type StatsFilter, whereOf } from './filter.ts';

const { sql, raw } = Prisma;

/** Turns by outcome. */
export interface OutcomeCounts {
  readonly clean: number;
  readonly repaired: number;
  readonly invalid: number;
  readonly failed: number;
  readonly none: number;
}

/** The outcomes of one model's turns in one time step. */
export interface OutcomePoint extends OutcomeCounts {
  readonly at: Date;
  /** Empty: the request was for no known model. */
  readonly modelId: string;
  readonly turns: number;
  readonly errors: number;
}

const COUNTS =
  raw(`sum(clean)::float8 AS clean, sum(repaired)::float8 AS repaired, sum(invalid)::float8 AS invalid, sum(failed)::float8 AS failed,
  sum("none")::float8 AS "none", sum(turns)::float8 AS turns, sum(errors)::float8 AS errors`);

/**
 * Outcomes over time, one point for each step and model with turns; a finished turn is included immediately. Steps are
 * counted from the bucket that contains `filter.from`; of the first only what is in the range is counted.
 */
export async function outcomesOverTime(
  prisma: PrismaService,
  filter: StatsFilter,
  step: number,
): Promise<OutcomePoint[]> {
  const grain = grainFor(step);
  const { from } = alignedToBucket(filter, grain);
  const cover = await rolledUpRange(prisma, { from: filter.from, to: filter.to, grain });
  return prisma.$queryRaw<OutcomePoint[]>`
    SELECT ${binned(from, step)} AS at, model_id AS "modelId", ${COUNTS}
    FROM (${sumsFor(cover, filter, 'model')}) AS sums
    GROUP BY 1, 2 ORDER BY 1, 2`;
}

/** The 95th percentile of gateway overhead by step, in microseconds. */
export async function addedOverTime(
  prisma: PrismaService,
  filter: StatsFilter,
  step: number,
): Promise<{ at: Date; p95: number | undefined }[]> {
  const grain = grainFor(step);
  const { from } = alignedToBucket(filter, grain);
  const cover = await rolledUpRange(prisma, { from: filter.from, to: filter.to, grain });
  const rows = await prisma.$queryRaw<{ at: Date; added: number[] }[]>`
    SELECT ${binned(from, step)} AS at, ${summedPlaces('added')} AS added
    FROM (${sumsFor(cover, filter, undefined)}) AS sums
    GROUP BY 1 ORDER BY 1`;
  return rows.map(({ at, added }) => ({ at, p95: percentile(added, 0.95, 'added') }));
}

/** Totals of a range. */
export interface Totals extends OutcomeCounts {
  readonly turns: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly injectedTokens: number;
  /** Millionths of the currency. */
  readonly spend: number;
  /** Histogram buckets; read them with `percentile`. */
  readonly added: readonly number[];
  readonly firstToken: readonly number[];
}

const TOKENS = raw(`sum(input_tokens)::float8 AS "inputTokens", sum(output_tokens)::float8 AS "outputTokens",
  sum(cached_tokens)::float8 AS "cachedTokens", sum(injected_tokens)::float8 AS "injectedTokens",
  sum(spend)::float8 AS spend`);
const TOTALS = sql`${COUNTS}, ${TOKENS}`;

/** The sums over a range. */
export async function totalsOf(prisma: PrismaService, filter: StatsFilter): Promise<Totals> {
  const [row] = await totalsBy(prisma, filter, undefined);
  return row ?? { ...NOTHING, added: [], firstToken: [] };
}

/** The sums over a range for each value of a column; the most turns first. */
export async function usageBy(
  prisma: PrismaService,
  filter: StatsFilter,
  by: UsageBy | 'strategyUsed',
): Promise<(Totals & { readonly id: string })[]> {
  return totalsBy(prisma, filter, by);
}

/** The outcomes of one model's turns with one strategy. */
interface StrategyOutcomes extends OutcomeCounts {
  readonly modelId: string;
  readonly strategyUsed: string;
}

/** Outcomes over a range by model and strategy; turns without tools have no strategy and are left out. */
export async function outcomesByStrategy(prisma: PrismaService, filter: StatsFilter): Promise<StrategyOutcomes[]> {
  const grain = grainOfRange(filter);
  const cover = await rolledUpRange(prisma, { from: filter.from, to: filter.to, grain });
  return prisma.$queryRaw<StrategyOutcomes[]>`
    SELECT model_id AS "modelId", strategy_used AS "strategyUsed", ${COUNTS}
    FROM (${turnSums(cover, whereOf(filter))}) AS sums
    WHERE model_id <> '' AND strategy_used <> ''
    GROUP BY 1, 2 ORDER BY 1, 2`;
}

/** The sums of one time step for one value of a column. */
export interface UsagePoint {
  readonly at: Date;
  /** Null: of all values that are not among those with the most turns. */
  readonly id: string | null;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly injectedTokens: number;
  readonly spend: number;
}

/**
 * Tokens and turns over time, separately for the 50 values of a column with the most turns. Steps are counted from
 * `filter.from`.
 */
export async function usageOverTime(
  prisma: PrismaService,
  filter: StatsFilter,
  { step, by }: { readonly step: number; readonly by: UsageBy },
): Promise<UsagePoint[]> {
  const grain = grainFor(step);
  const { from } = alignedToBucket(filter, grain);
  const cover = await rolledUpRange(prisma, { from: filter.from, to: filter.to, grain });
  return prisma.$queryRaw<UsagePoint[]>`
    WITH parts AS (
      SELECT ${binned(from, step)} AS at, ${columnOf(by)} AS id, sum(turns)::float8 AS turns, ${TOKENS}
      FROM (${sumsFor(cover, filter, by)}) AS sums
      GROUP BY 1, 2
    ), most AS (
      SELECT id FROM parts GROUP BY id ORDER BY sum(turns) DESC, id LIMIT 50
    )
    SELECT at, most.id, sum(turns) AS turns, sum("inputTokens") AS "inputTokens", sum("outputTokens") AS "outputTokens",
      sum("cachedTokens") AS "cachedTokens", sum("injectedTokens") AS "injectedTokens",
      sum(spend) AS spend
    FROM parts LEFT JOIN most ON most.id = parts.id
    GROUP BY 1, 2 ORDER BY 1, 2`;
}

const columns = {
  key: 'key_id',
  model: 'model_id',
  team: 'team_id',
  client: 'client',
  strategyUsed: 'strategy_used',
};
const columnOf = (by: keyof typeof columns): Prisma.Sql => raw(columns[by]);

async function totalsBy(prisma: PrismaService, filter: StatsFilter, by: keyof typeof columns | undefined) {
  const grain = grainOfRange(filter);
  const cover = await rolledUpRange(prisma, { from: filter.from, to: filter.to, grain });
  return prisma.$queryRaw<(Totals & { id: string })[]>`
    SELECT ${by === undefined ? raw("''") : columnOf(by)} AS id, ${TOTALS}, ${summedPlaces('added')} AS added, ${summedPlaces('first_token')} AS "firstToken"
    FROM (${sumsFor(cover, filter, by)}) AS sums
    GROUP BY 1 ORDER BY sum(turns) DESC LIMIT 500`;
}

const NOTHING = {
  clean: 0,
  repaired: 0,
  invalid: 0,
  failed: 0,
  none: 0,
  turns: 0,
  errors: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  injectedTokens: 0,
  spend: 0,
};

/** The sums for a query that groups by this column (undefined: by none): where the model is enough, those by model. */
function sumsFor(cover: RolledUpRange, filter: StatsFilter, by: keyof typeof columns | undefined): Prisma.Sql {
  const byModel = (by === undefined || by === 'model') && isByModel(filter);
  return (byModel ? modelSums : turnSums)(cover, whereOf(filter));
}

const binned = (origin: Date, step: number): Prisma.Sql =>
  sql`date_bin(make_interval(secs => ${step}), bucket, ${origin}::timestamptz)`;

function summedPlaces(column: 'added' | 'first_token'): Prisma.Sql {
  const places = Array.from({ length: 48 }, (_, at) => `coalesce(sum(${column}[${at + 1}]), 0)::float8`);
  return raw(`ARRAY[${places.join(', ')}]`);
}
