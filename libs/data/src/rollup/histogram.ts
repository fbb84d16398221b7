/** The number of a histogram's buckets. */
export const HISTOGRAM_BUCKETS = 48;

/** The values of a histogram: gateway overhead in microseconds, or time to first token in milliseconds. */
export type HistogramKind = 'added' | 'firstToken';

// The buckets of the SQL functions added_place and first_token_place: bucket p of `added` contains values whose 2 ·
// log2 is between p + 6 and p + 7, that of `firstToken` between p − 2 and p − 1.
const SHIFT: Record<HistogramKind, number> = { added: 6, firstToken: -2 };

/**
 * The percentile of a histogram for a share (0 to 1), accurate to 20 %; µs for `added`, ms for `firstToken`. Undefined:
 * it is empty.
 */
export function percentile(counts: readonly number[], share: number, of: HistogramKind): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = Math.max(1, Math.ceil(total * share));
  const place = counts.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  // The geometric mean of the bucket.
  return 2 ** ((place + 1 + SHIFT[of] + 0.5) / 2);
}
