import { wilson } from './wilson.ts';

/** A difference of two shares with its 95 % interval. */
export interface Difference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A count and its total. */
export interface Proportion {
  readonly k: number;
  readonly n: number;
}

/**
 * The first share minus the second one, with Newcombe's interval from both Wilson intervals; null if one of them is
 * empty. Source: Newcombe, Statistics in Medicine 17 (1998), method 10.
 */
export function newcombe(first: Proportion, second: Proportion): Difference | null {
  const [a, b] = [wilson(first.k, first.n), wilson(second.k, second.n)];
  if (a === null || b === null) return null;
  const value = a.value - b.value;
  return {
    value,
    low: value - Math.hypot(a.value - a.low, b.high - b.value),
    high: value + Math.hypot(a.high - a.value, b.value - b.low),
  };
}
