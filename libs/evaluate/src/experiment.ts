import { type Difference, newcombe, type Proportion } from './statistics/newcombe.ts';
import { type RateInterval, wilson } from './statistics/wilson.ts';

/** How both sides of an experiment did. */
export interface ExperimentResult {
  /** Of the requests with calls, those that failed; null: there were none. */
  readonly tried: RateInterval | null;
  readonly others: RateInterval | null;
  /** By how much more failed with what is tried; null: one side has nothing. */
  readonly difference: Difference | null;
  /** What is tried is surely better, or surely worse; null: nothing is sure. */
  readonly better: boolean | null;
  /** What came out, in one sentence. */
  readonly sentence: string;
}

/** Judges an experiment by the interval of the difference, never by the difference itself. `k`: failed requests. */
export function judgeExperiment(name: string, tried: Proportion, others: Proportion): ExperimentResult {
  const difference = newcombe(tried, others);
  const better = difference === null ? null : difference.high < 0 ? true : difference.low > 0 ? false : null;
  const found = `${tried.k} of ${tried.n} requests with calls failed with ${name}, ${others.k} of ${others.n} without it`;
  return {
    tried: wilson(tried.k, tried.n),
    others: wilson(others.k, others.n),
    difference,
    better,
    sentence: difference === null ? `${found}: too few to compare.` : `${found}: ${verdict(better, difference)}.`,
  };
}

function verdict(better: boolean | null, { low, high }: Difference): string {
  const points = (value: number): string => (value * 100).toFixed(1);
  const range = `${points(low)} to ${points(high)} points`;
  if (better === null) return `inconclusive (${range})`;
  return `clearly ${better ? 'better' : 'worse'} (${range})`;
}
