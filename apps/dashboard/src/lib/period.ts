import { formatClock, formatDay, formatMoment } from './format.ts';

const minute = 60_000;
/** Of an hour: of what is a week old, the gateway keeps no finer sums. */
const quarter = 15 * minute;
const hour = 60 * minute;

/** The ranges to pick from, in milliseconds. */
export const ranges = { '1h': hour, '6h': 6 * hour, '24h': 24 * hour, '7d': 168 * hour, '30d': 720 * hour } as const;
export type RangeName = keyof typeof ranges;

/** A time range as a URL has it: the last hours or days, or between two instants. */
export type Period = { readonly range: RangeName } | { readonly from: string; readonly to: string };

const isRange = (word: string | null): word is RangeName => word !== null && Object.hasOwn(ranges, word);
const isInstant = (word: string | null): word is string => word !== null && !Number.isNaN(Date.parse(word));

/** Reads the period from an address: `?from=…&to=…`, else `?range=…`, else the default. */
export function periodOf(params: URLSearchParams, fallback: RangeName = '24h'): Period {
  const [from, to, range] = [params.get('from'), params.get('to'), params.get('range')];
  if (isInstant(from) && isInstant(to)) return { from, to };
  return { range: isRange(range) ? range : fallback };
}

/**
 * The period as the API takes it. A relative one ends now, so it is computed anew for each request. It begins where a
 * bucket of the sums begins: so totals, charts and lists of requests count the same.
 */
export function boundsOf(period: Period, now = Date.now()): { from: string; to?: string } {
  if ('from' in period) return { from: new Date(period.from).toISOString(), to: new Date(period.to).toISOString() };
  const length = ranges[period.range];
  const bucket = length < ranges['7d'] ? minute : quarter;
  return { from: new Date(Math.floor((now - length) / bucket) * bucket).toISOString() };
}

/** The period as a URL has it. */
export const periodQuery = (period: Period): Record<string, string> =>
  'from' in period ? { from: period.from, to: period.to } : { range: period.range };

/** The period before this one, which it is compared with, in words, e.g. `previous 24 h`. */
export const periodBeforeText = (period: Period): string =>
  'from' in period ? 'previous period' : `previous ${period.range.replace(/(\d+)/, '$1\u00a0')}`;

/** The two instants of a period, local, e.g. `22 Nov, 14:05 – 15:05`. */
export function boundsText({ from, to }: { readonly from: string; readonly to: string }): string {
  const end = formatDay(from) === formatDay(to) ? formatClock(to) : formatMoment(to);
  return `${formatMoment(from)} – ${end}`;
}

/** The period in words, e.g. `the last 24 hours`. */
export function periodText(period: Period): string {
  if ('from' in period) return 'this time range';
  const words: Record<RangeName, string> = {
    '1h': 'hour',
    '6h': '6 hours',
    '24h': '24 hours',
    '7d': '7 days',
    '30d': '30 days',
  };
  return `the last ${words[period.range]}`;
}
