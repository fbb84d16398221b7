import type { ReplayRow } from '@callsmith/contracts';

const ranks = { failed: 0, invalid: 1, repaired: 2, clean: 3 } as const;

/** How many answers came out as then, better, worse, in another way, or could not be read. */
export interface ReplayCounts {
  readonly same: number;
  readonly better: number;
  readonly worse: number;
  readonly changed: number;
  readonly unparsed: number;
}

/** Whether one answer came out as then, and if not, whether it came out better: clean before repaired before invalid before failed. */
export function changeOf({ old, new: now, differences }: ReplayRow): keyof ReplayCounts {
  if (now === null) return 'unparsed';
  if (differences.length === 0) return 'same';
  const [before, after] = [rankOf(old.outcome), rankOf(now.outcome)];
  if (before === undefined || after === undefined || before === after) return 'changed';
  return after > before ? 'better' : 'worse';
}

/** What the rows of a replay come to. */
export function replayCounts(rows: readonly ReplayRow[]): ReplayCounts {
  const sums = { same: 0, better: 0, worse: 0, changed: 0, unparsed: 0 };
  for (const row of rows) sums[changeOf(row)] += 1;
  return sums;
}

/** The sums in words, e.g. `12 unchanged, 3 better, 1 could not be parsed`. */
export function changesText(sums: ReplayCounts): string {
  const words: Record<keyof ReplayCounts, string> = {
    same: 'unchanged',
    better: 'better',
    worse: 'worse',
    changed: 'changed',
    unparsed: 'could not be parsed',
  };
  return (Object.keys(words) as (keyof ReplayCounts)[])
    .filter((name) => sums[name] > 0)
    .map((name) => `${sums[name]} ${words[name]}`)
    .join(', ');
}

function rankOf(outcome: ReplayRow['old']['outcome']): number | undefined {
  return outcome === null || outcome === 'none' ? undefined : ranks[outcome];
}
