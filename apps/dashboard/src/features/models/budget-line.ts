import type { BudgetHistory } from '@callsmith/contracts';

/** What is left at an instant: `at` from 0 (30 days ago) to 1 (now), `left` from 0 to 1. */
interface Point {
  readonly at: number;
  readonly left: number;
}

const DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * The budget burnt down day by day. The whole of it is what the calls of all 30 days may cost, so that the line ends at
 * what is left now; it never goes below 0.
 */
export function budgetLine(
  { percentage, calls, days }: Pick<BudgetHistory, 'percentage' | 'calls' | 'days'>,
  now = Date.now(),
): Point[] {
  const allowed = calls * (percentage / 100);
  const points: Point[] = [{ at: 0, left: 1 }];
  let failed = 0;
  for (const day of days) {
    failed += day.failed;
    const end = Math.min(now, Date.parse(day.at) + DAY_MS);
    const at = Math.min(1, Math.max(0, 1 - (now - end) / (DAYS * DAY_MS)));
    points.push({ at, left: allowed === 0 ? 1 : Math.max(0, 1 - failed / allowed) });
  }
  return points;
}
