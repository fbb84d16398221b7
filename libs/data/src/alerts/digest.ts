import { type AlertScope, judged, malformed, unusable } from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';
import { modelNames } from '../models/models.ts';
import { periodBefore } from '../stats/filter.ts';
import { type Totals, totalsOf, usageBy } from '../stats/outcomes.ts';

const DAY_MS = 86_400_000;
/** On Mondays, from this hour. */
const DUE_HOUR = 8;
const MODELS_NAMED = 5;

/** True if a Monday, 8:00 in the time zone, is between two instants. */
export function digestIsDue(since: Date, now: Date, timeZone: string): boolean {
  return now > since && weekOf(since, timeZone) !== weekOf(now, timeZone);
}

/** The Monday, as days since 1970, of an instant's week; weeks begin at 8:00. */
function weekOf(at: Date, timeZone: string): number {
  const shifted = new Date(at.getTime() - DUE_HOUR * 3_600_000);
  const [year = 0, month = 0, day = 0] = new Intl.DateTimeFormat('en-CA', { timeZone })
    .format(shifted)
    .split('-')
    .map(Number);
  const date = Date.UTC(year, month - 1, day) / DAY_MS;
  // 1970 began on a Thursday.
  return date - ((date + 3) % 7);
}

/** A summary of the last seven days compared with the seven before, in lines of text. */
export async function digestText(
  prisma: PrismaService,
  { scope, currency, now }: { readonly scope: AlertScope; readonly currency: string; readonly now: Date },
): Promise<string> {
  const week = { from: new Date(now.getTime() - 7 * DAY_MS), to: now, among: scope };
  const [sums, before, byModel] = await Promise.all([
    totalsOf(prisma, week),
    totalsOf(prisma, periodBefore(week)),
    usageBy(prisma, week, 'model'),
  ]);
  const worst = byModel
    .filter((sum) => sum.id !== '' && unusable(sum) > 0)
    .toSorted((a, b) => unusable(b) - unusable(a))
    .slice(0, MODELS_NAMED);
  const names = await modelNames(
    prisma,
    worst.map(({ id }) => id),
  );
  const compared = (textOf: (totals: Totals) => string) => `${textOf(sums)} (the week before: ${textOf(before)})`;
  return [
    `The last seven days, to ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC:`,
    '',
    `Requests: ${compared(({ turns }) => String(turns))}`,
    `Requests with tool calls: ${compared((totals) => String(judged(totals)))}`,
    `Malformed: ${compared((totals) => percent(malformed(totals), judged(totals)))}`,
    `Failed or invalid: ${compared((totals) => percent(unusable(totals), judged(totals)))}`,
    `Errors: ${compared(({ errors, turns }) => percent(errors, turns))}`,
    `Spend: ${compared(({ spend }) => `${(spend / 1_000_000).toFixed(2)} ${currency}`)}`,
    '',
    ...(worst.length === 0
      ? ['No tool call failed.']
      : [
          'Models with the most failed or invalid calls:',
          ...worst.map((sum) => {
            const name = names.get(sum.id)?.name ?? sum.id;
            return `- ${name}: ${unusable(sum)} of ${judged(sum)} (${percent(unusable(sum), judged(sum))})`;
          }),
        ]),
  ].join('\n');
}

const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((part / whole) * 100).toFixed(1)} %`);
