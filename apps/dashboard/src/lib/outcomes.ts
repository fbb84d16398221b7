import { judged, malformed, type OutcomeCounts, shareOfJudged } from '@callsmith/contracts';
import { outcomes, type turnOutcomes } from '@callsmith/turn';

export { judged, outcomes as callOutcomes };
export type Outcome = (typeof turnOutcomes)[number];

/** How an outcome is shown. */
export const outcomeTexts: Record<Outcome, string> = {
  clean: 'The call was valid as the model made it.',
  repaired: 'The call was repaired before the client received it.',
  invalid: 'The call reached the client, but its arguments do not match the tool’s schema, or there is no such tool.',
  failed: 'The call could not be repaired.',
  none: 'Tools were offered, but the model made no call.',
};

/** The share of calls that were not clean as the model made them; null where no call came. */
export const malformedRate = (counts: OutcomeCounts): number | null => shareOfJudged(malformed(counts), counts);

/** With fewer requests than this, a rate is too uncertain to compare. */
export const few = 30;
