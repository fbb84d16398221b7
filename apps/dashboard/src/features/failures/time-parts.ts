import type { TurnRow } from '@callsmith/contracts';

/** Milliseconds of a request, part by part; null: not known. Those that are known make up all of its time. */
export interface TimeParts {
  readonly ours: number | null;
  readonly wait: number | null;
  readonly response: number | null;
}

/** Where a request's time went: gateway overhead, then the wait for the first token, then the rest of the response. */
export function timeParts({
  addedUs,
  firstTokenMs,
  totalMs,
}: Pick<TurnRow, 'addedUs' | 'firstTokenMs' | 'totalMs'>): TimeParts {
  const ours = addedUs === null ? null : addedUs / 1000;
  if (firstTokenMs === null) return { ours, wait: null, response: null };
  // With a correction, more of the gateway overhead is after the first token than before it.
  const begun = Math.max(firstTokenMs, ours ?? 0);
  return { ours, wait: begun - (ours ?? 0), response: Math.max(0, totalMs - begun) };
}
