import type { OutcomeCounts } from '@callsmith/contracts';
import { outcomes, type turnOutcomes } from '@callsmith/turn';

export { outcomes as callOutcomes };
export type Outcome = (typeof turnOutcomes)[number];

/** How an outcome is told on a screen. */
export const outcomeSay: Record<Outcome, string> = {
  clean: 'The call was valid as the model made it.',
  repaired: 'The call was repaired before the client received it.',
  failed: 'The call could not be repaired.',
  none: 'Tools were offered, but the model made no call.',
};

/** How many requests were judged: all with a call. */
export const judged = (counts: OutcomeCounts): number => counts.clean + counts.repaired + counts.failed;

/** (repaired + failed) / (clean + repaired + failed); null where no call came. */
export const malformed = (counts: OutcomeCounts): number | null =>
  judged(counts) === 0 ? null : (counts.repaired + counts.failed) / judged(counts);

/** With fewer requests than this, a rate is too uncertain to compare. */
export const few = 30;
