import type { AlertScope } from '@callsmith/contracts';
import { Prisma } from '../generated/prisma/client.ts';
import { MINUTES_KEPT_MS } from '../rollup/rolled-up-range.ts';
import { BUCKET_MS, bucketOf, type Grain, grains } from '../rollup/sums.ts';

const { sql, join } = Prisma;

/** The turns to count. */
export interface StatsFilter {
  readonly from: Date;
  readonly to: Date;
  readonly modelId?: string | undefined;
  /** Security 29: set whenever the caller may see only one team. */
  readonly teamId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly client?: string | undefined;
  readonly strategyUsed?: string | undefined;
  /** Several of each kind; an empty list: all. */
  readonly among?: AlertScope | undefined;
}

/** A filter as a condition on the columns that `turn` and `turn_rollup` share. */
export function whereOf({
  modelId,
  teamId,
  keyId,
  client,
  strategyUsed,
  among,
}: Omit<StatsFilter, 'from' | 'to'>): Prisma.Sql {
  const conditions = [
    ...(modelId === undefined ? [] : [sql`model_id = ${modelId}`]),
    ...(teamId === undefined ? [] : [sql`team_id = ${teamId}`]),
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(client === undefined ? [] : [sql`client = ${client}`]),
    ...(strategyUsed === undefined ? [] : [sql`strategy_used = ${strategyUsed}`]),
    ...(among === undefined || among.models.length === 0 ? [] : [sql`model_id = ANY(${among.models})`]),
    ...(among === undefined || among.teams.length === 0 ? [] : [sql`team_id = ANY(${among.teams})`]),
    ...(among === undefined || among.clients.length === 0 ? [] : [sql`client = ANY(${among.clients})`]),
  ];
  return conditions.length === 0 ? sql`TRUE` : join(conditions, ' AND ');
}

/** True if the filter is about models alone, or there is none. */
export const isByModel = ({ teamId, keyId, client, strategyUsed, among }: StatsFilter): boolean =>
  [teamId, keyId, client, strategyUsed].every((value) => value === undefined) &&
  (among === undefined || (among.teams.length === 0 && among.clients.length === 0));

const STEPS = [60, 120, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 86_400, 604_800];
const MOST_POINTS = 120;

/** Seconds per point of a chart, so that a range has at most 120 points; never finer than what is kept. */
export function chartStepSeconds({ from, to }: { readonly from: Date; readonly to: Date }): number {
  const seconds = (to.getTime() - from.getTime()) / 1000;
  const least = BUCKET_MS[finestAt(from)] / 1000;
  return STEPS.find((step) => step >= least && seconds / step <= MOST_POINTS) ?? STEPS[STEPS.length - 1]!;
}

/** The grain of roll-ups that is read for a step. */
export function grainFor(step: number): Grain {
  return grains.find((grain) => step * 1000 >= BUCKET_MS[grain]) ?? 'minute';
}

/** The grain that is read for the sums of a whole range; its ends are read finer. */
export function grainOfRange({ from, to }: { readonly from: Date; readonly to: Date }): Grain {
  const hours = (to.getTime() - from.getTime()) / BUCKET_MS.hour;
  if (hours > 24 * 3) return 'day';
  return hours > 6 ? 'hour' : finestAt(from);
}

/** A range that is aligned to a bucket of its grain. */
export const alignedToBucket = <T extends { readonly from: Date }>(filter: T, grain: Grain): T => ({
  ...filter,
  from: bucketOf(filter.from, grain),
});

/** The period of the same length just before. */
export function periodBefore<T extends { readonly from: Date; readonly to: Date }>(filter: T): T {
  const length = filter.to.getTime() - filter.from.getTime();
  return { ...filter, from: new Date(filter.from.getTime() - length), to: filter.from };
}

/** Minutes are kept for a week only. */
const finestAt = (from: Date): Grain =>
  Date.now() - from.getTime() > MINUTES_KEPT_MS - BUCKET_MS.day ? 'quarter' : 'minute';
