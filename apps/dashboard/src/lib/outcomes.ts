import type { OutcomeCounts } from '@callsmith/contracts';

/** The outcomes of calls, the worst last. */
export const callOutcomes = ['clean', 'repaired', 'failed'] as const;
export type CallOutcome = (typeof callOutcomes)[number];
export type Outcome = CallOutcome | 'none';

/** How an outcome is told on a screen. */
export const outcomeSay: Record<Outcome, string> = {
  clean: 'The call came as it should.',
  repaired: 'The call was mended before the client saw it.',
  failed: 'The call could not be made whole.',
  none: 'Tools were on offer and no call came.',
};

/** How many turns were judged: all with a call. */
export const judged = (counts: OutcomeCounts): number => counts.clean + counts.repaired + counts.failed;

/** (repaired + failed) / (clean + repaired + failed); null where no call came. */
export const malformed = (counts: OutcomeCounts): number | null =>
  judged(counts) === 0 ? null : (counts.repaired + counts.failed) / judged(counts);

/** Below this many turns a rate says too little. */
export const few = 30;
