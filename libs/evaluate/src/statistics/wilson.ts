/** A share with its 95 % interval. */
export interface RateInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
  /** Too few for a conclusion. */
  readonly few: boolean;
}

/** The normal distribution's 97.5 % quantile: 5 % are outside on both sides together. */
const BOTH_SIDES = 1.959964;
/** Its 95 % quantile: 5 % are beyond one bound. */
export const ONE_SIDED_Z = 1.644854;

const FEW = 30;

/** The share of `k` in `n` with its Wilson score interval; null if n is 0. */
export function wilson(k: number, n: number, z = BOTH_SIDES): RateInterval | null {
  if (n === 0) return null;
  const value = k / n;
  const weight = 1 + z ** 2 / n;
  const centre = (value + z ** 2 / (2 * n)) / weight;
  const half = (z * Math.sqrt((value * (1 - value)) / n + z ** 2 / (4 * n ** 2))) / weight;
  return { value, low: Math.max(0, centre - half), high: Math.min(1, centre + half), n, few: n < FEW };
}
