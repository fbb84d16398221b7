import type { QuietHours } from '@callsmith/contracts';

/** True during the daily quiet hours, by the clock of the time zone; the end is exclusive. */
export function isQuiet(quiet: QuietHours | null, timeZone: string, now: Date): boolean {
  if (quiet === null) return false;
  const at = clockAt(timeZone, now);
  const { from, to } = quiet;
  return from < to ? at >= from && at < to : at >= from || at < to;
}

/** HH:MM. */
const clockAt = (timeZone: string, now: Date): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(now);
