import type { OutcomeCounts } from './api/models.ts';

/** Counts of zero requests. */
export const noOutcomes: OutcomeCounts = { clean: 0, repaired: 0, invalid: 0, failed: 0, none: 0 };

/** Requests with a call: all with an outcome other than `none`. */
export const judged = ({ clean, repaired, invalid, failed }: OutcomeCounts): number =>
  clean + repaired + invalid + failed;

/** Requests with a call that the client could not use: it failed, or was invalid. */
export const unusable = ({ invalid, failed }: OutcomeCounts): number => invalid + failed;

/** Requests with a call that was not clean as made. */
export const malformed = (counts: OutcomeCounts): number => judged(counts) - counts.clean;

/** A share of the requests with calls; null if there are none. */
export const shareOfJudged = (part: number, counts: OutcomeCounts): number | null =>
  judged(counts) === 0 ? null : part / judged(counts);
