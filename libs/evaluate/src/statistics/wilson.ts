/** A share with its 95 % interval. */
export interface RateInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
  /** Too few to say. */
  readonly few: boolean;
}

/** The normal distribution's 97.5 % quantile. */
const Z = 1.959964;

const FEW = 30;

/** The share of `k` in `n` with its Wilson score interval; null where n is 0. */
export function wilson(k: number, n: number): RateInterval | null {
  if (n === 0) return null;
  const value = k / n;
  const weight = 1 + Z ** 2 / n;
  const centre = (value + Z ** 2 / (2 * n)) / weight;
  const half = (Z * Math.sqrt((value * (1 - value)) / n + Z ** 2 / (4 * n ** 2))) / weight;
  return { value, low: Math.max(0, centre - half), high: Math.min(1, centre + half), n, few: n < FEW };
}
