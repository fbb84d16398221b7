import type { TrialAnswer, TrialRow } from '@callsmith/contracts';
import { turnOutcomes } from '@callsmith/turn';
import { plural } from '../../lib/format.ts';

const trialOutcomes = [...turnOutcomes, 'error'] as const;

/** What several answers come to. */
export interface TrialSums {
  /** How many there are of each outcome; `error`: none, and an error instead. */
  readonly outcomes: Readonly<Record<(typeof trialOutcomes)[number], number>>;
  /** Null: no answer reports it. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalMs: number;
}

/** The requests that have been tried, then and now: sums of the same requests, which can be compared. */
export function trialSums(rows: readonly TrialRow[]): { tried: number; old: TrialSums | null; new: TrialSums } {
  const tried = rows.filter((row) => row.new !== null);
  const before = tried.flatMap((row) => row.old ?? []);
  return {
    tried: tried.length,
    old: before.length === 0 ? null : sumOf(before),
    new: sumOf(tried.flatMap((row) => row.new ?? [])),
  };
}

function sumOf(answers: readonly TrialAnswer[]): TrialSums {
  const outcomes = { clean: 0, repaired: 0, invalid: 0, failed: 0, none: 0, error: 0 };
  for (const { outcome } of answers) outcomes[outcome ?? 'error']++;
  return {
    outcomes,
    inputTokens: total(answers.map(({ inputTokens }) => inputTokens)),
    outputTokens: total(answers.map(({ outputTokens }) => outputTokens)),
    totalMs: answers.reduce((sum, { totalMs }) => sum + totalMs, 0),
  };
}

const total = (counts: readonly (number | null)[]): number | null =>
  counts.every((count) => count === null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);

const words = { clean: 'clean', repaired: 'repaired', invalid: 'invalid', failed: 'failed', none: 'no call' } as const;

/** e.g. `8 clean, 1 repaired, 1 failed`. */
export const outcomesText = ({ outcomes }: TrialSums): string =>
  trialOutcomes
    .filter((outcome) => outcomes[outcome] > 0)
    .map((outcome) =>
      outcome === 'error' ? plural(outcomes.error, 'error') : `${outcomes[outcome]} ${words[outcome]}`,
    )
    .join(', ');
