import { fieldFault } from './field-fault.ts';

const DAY_MS = 86_400_000;

/** The requested range of time, by default the last 24 hours. Throws a `Fault` if it ends before it begins. */
export function timeRange(asked: { from?: string | undefined; to?: string | undefined }): { from: Date; to: Date } {
  const to = asked.to === undefined ? new Date() : new Date(asked.to);
  const from = asked.from === undefined ? new Date(to.getTime() - DAY_MS) : new Date(asked.from);
  if (from < to) return { from, to };
  throw fieldFault({ path: 'from', message: 'must be before to' });
}
