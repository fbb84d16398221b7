const nbsp = '\u00a0';
const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const clockSeconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** A whole number with thousands separated. */
export const formatCount = (value: number): string => count.format(value);

/** A large number in few characters, e.g. `12.3K`. */
export const formatCompact = (value: number): string => compact.format(value);

/** An amount of money, given in millionths of the currency; a small one with as many digits as say something. */
export function formatMoney(micros: number, currency: string): string {
  const amount = micros / 1_000_000;
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 4 : 2;
  const options = { style: 'currency', currency, minimumFractionDigits: 2, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat('en', options).format(amount);
}

/** A share of 0..1 as per cent; one digit below 10 %, none above, and never `0 %` or `100 %` for what is only near it. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return `<0.1${nbsp}%`;
  if (percent < 100 && percent > 99.9) return `>99.9${nbsp}%`;
  const digits =
    percent > 0 && (percent < 10 || percent > 99) && percent < 100 ? oneDigit.format(percent) : count.format(percent);
  return `${digits}${nbsp}%`;
}

/** The difference of two shares in percentage points, with its sign, e.g. `+2.1 pp`. */
export function formatPoints(difference: number): string {
  const points = Math.abs(difference * 100);
  const sign = difference > 0 ? '+' : difference < 0 ? '−' : '±';
  return `${sign}${oneDigit.format(points)}${nbsp}pp`;
}

/** A duration in microseconds, in the unit that reads best. */
export function formatMicros(us: number): string {
  if (us < 1000) return `${count.format(us)}${nbsp}µs`;
  return formatMillis(us / 1000);
}

/** A duration in milliseconds, in the unit that reads best. */
export function formatMillis(ms: number): string {
  if (ms < 10) return `${oneDigit.format(ms)}${nbsp}ms`;
  if (ms < 1000) return `${count.format(ms)}${nbsp}ms`;
  if (ms < 60_000) return `${oneDigit.format(ms / 1000)}${nbsp}s`;
  return `${oneDigit.format(ms / 60_000)}${nbsp}min`;
}

/** A number of bytes, e.g. `1.2 KB` (1 KB is 1024 bytes). */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${count.format(bytes)}${nbsp}B`;
  if (bytes < 1024 * 1024) return `${oneDigit.format(bytes / 1024)}${nbsp}KB`;
  return `${oneDigit.format(bytes / 1024 / 1024)}${nbsp}MB`;
}

// Clocks differ: what the gateway says of the past may be ahead of this browser's clock.
const SKEW_SECONDS = 90;

/** How long ago an instant was, e.g. `4 s ago`; instants ahead read `in 3 h`, those just ahead `now`. */
export function formatAgo(at: string, now: number): string {
  const seconds = Math.round((now - Date.parse(at)) / 1000);
  const span = formatSpan(Math.abs(seconds));
  if (seconds < 1 && seconds > -SKEW_SECONDS) return 'now';
  return seconds >= 0 ? `${span} ago` : `in ${span}`;
}

/** A number of seconds in its largest whole unit, e.g. `3 h`. */
export function formatSpan(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)}${nbsp}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}${nbsp}min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}${nbsp}h`;
  return `${Math.floor(seconds / 86_400)}${nbsp}d`;
}

/** Hour and minute, local. */
export const formatClock = (at: string | number): string => clock.format(new Date(at));

/** Hour, minute and second, local. */
export const formatClockSeconds = (at: string | number): string => clockSeconds.format(new Date(at));

/** Day, hour and minute, local. */
export const formatMoment = (at: string | number): string => dayAndClock.format(new Date(at));

/** Day, hour, minute and second, local. */
export const formatMomentSeconds = (at: string | number): string => `${formatDay(at)}, ${formatClockSeconds(at)}`;

/** Day and month, local. */
export const formatDay = (at: string | number): string => day.format(new Date(at));

/** How the times of a number of points, `step` seconds apart, are labeled on an axis: as short as the range allows. */
export function axisFormat(points: number, step: number): (at: string | number) => string {
  if (step >= 86_400) return formatDay;
  return points * step > 36 * 3600 ? formatMoment : formatClock;
}

/** The same instant in UTC, to the second. */
export const formatUtc = (at: string | number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A word with an `s` where the number asks for it, e.g. `1 key`, `2 keys`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${formatCount(n)} ${n === 1 ? one : many}`;
