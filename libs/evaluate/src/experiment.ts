import { type Difference, newcombe, type Proportion } from './statistics/newcombe.ts';
import { type RateInterval, wilson } from './statistics/wilson.ts';

/** The results of both sides of an experiment. */
export interface ExperimentResult {
  /** Of the requests with calls, those that failed; null: there were none. */
  readonly tried: RateInterval | null;
  readonly others: RateInterval | null;
  /** The difference of the failed rates, tried minus current; null: one side has no requests. */
  readonly difference: Difference | null;
  /** Whether the tried strategy is significantly better or worse; null: inconclusive. */
  readonly better: boolean | null;
  /** The conclusion, in one sentence. */
  readonly sentence: string;
}

/** Evaluates an experiment by the interval of the difference, never by the difference itself. `k`: failed requests. */
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
