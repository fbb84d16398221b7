import { Prisma } from '../generated/prisma/client.ts';
import type { Grain } from '../rollup/sums.ts';

const { sql, join } = Prisma;

/** Which turns are counted. */
export interface StatsFilter {
  readonly from: Date;
  readonly to: Date;
  readonly modelId?: string | undefined;
  /** Security 29: given wherever the caller may see one team only. */
  readonly teamId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly client?: string | undefined;
  readonly strategyUsed?: string | undefined;
}

/** A filter as a condition on the columns that `turn` and `turn_rollup` share. */
export function whereOf({
  modelId,
  teamId,
  keyId,
  client,
  strategyUsed,
}: Omit<StatsFilter, 'from' | 'to'>): Prisma.Sql {
  const conditions = [
    ...(modelId === undefined ? [] : [sql`model_id = ${modelId}`]),
    ...(teamId === undefined ? [] : [sql`team_id = ${teamId}`]),
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(client === undefined ? [] : [sql`client = ${client}`]),
    ...(strategyUsed === undefined ? [] : [sql`strategy_used = ${strategyUsed}`]),
  ];
  return conditions.length === 0 ? sql`TRUE` : join(conditions, ' AND ');
}

const STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 604_800];
const MOST_POINTS = 120;

/** Seconds that a point of a chart stands for, so that a range has at most 120 points. */
export function stepFor({ from, to }: { readonly from: Date; readonly to: Date }): number {
  const seconds = (to.getTime() - from.getTime()) / 1000;
  return STEPS.find((step) => seconds / step <= MOST_POINTS) ?? STEPS[STEPS.length - 1]!;
}

/** The grain of roll-ups that is read for a step. Days are made of hours, so that they may begin at a local midnight. */
export const grainFor = (step: number): Grain => (step >= 604_800 ? 'day' : step >= 3600 ? 'hour' : 'minute');

/** A range that begins where a bucket of its grain begins. */
export function aligned<T extends { readonly from: Date }>(filter: T, grain: Grain): T {
  const size = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }[grain];
  return { ...filter, from: new Date(Math.floor(filter.from.getTime() / size) * size) };
}

/** The same length of time just before. */
export function periodBefore<T extends { readonly from: Date; readonly to: Date }>(filter: T): T {
  const length = filter.to.getTime() - filter.from.getTime();
  return { ...filter, from: new Date(filter.from.getTime() - length), to: filter.from };
}
