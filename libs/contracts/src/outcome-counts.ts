import type { OutcomeCounts } from './api/models.ts';

/** Requests of no outcome. */
export const noOutcomes: OutcomeCounts = { clean: 0, repaired: 0, invalid: 0, failed: 0, none: 0 };

/** Requests with a call: all whose outcome is judged. */
export const judged = ({ clean, repaired, invalid, failed }: OutcomeCounts): number =>
  clean + repaired + invalid + failed;

/** Requests whose call did the client no good: it failed, or went out invalid. */
export const unusable = ({ invalid, failed }: OutcomeCounts): number => invalid + failed;

/** Requests whose call was not clean as the model made it. */
export const malformed = (counts: OutcomeCounts): number => judged(counts) - counts.clean;

/** A part of the requests with a call; null where there are none. */
export const shareOfJudged = (part: number, counts: OutcomeCounts): number | null =>
  judged(counts) === 0 ? null : part / judged(counts);
