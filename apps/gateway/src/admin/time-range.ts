import { fieldFault } from './field-fault.ts';

const DAY_MS = 86_400_000;

/** The requested range of time, by default the last 24 hours. Throws a `Fault` if it ends before it begins. */
export function timeRange(bounds: { from?: string | undefined; to?: string | undefined }): { from: Date; to: Date } {
  const to = bounds.to === undefined ? new Date() : new Date(bounds.to);
  const from = bounds.from === undefined ? new Date(to.getTime() - DAY_MS) : new Date(bounds.from);
  if (from < to) return { from, to };
  throw fieldFault({ path: 'from', message: 'must be before to' });
}
