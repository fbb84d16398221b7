import { alignedToBucket, grainFor, type StatsFilter } from '@callsmith/data/stats';

/** The start times of the steps of a range; `step` in seconds. */
export function stepStarts(filter: StatsFilter, step: number): Date[] {
  const start = alignedToBucket(filter, grainFor(step)).from.getTime();
  const count = Math.ceil((filter.to.getTime() - start) / (step * 1000));
  return Array.from({ length: count }, (_, n) => new Date(start + n * step * 1000));
}
