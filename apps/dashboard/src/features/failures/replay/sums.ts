import type { ReplayRow } from '@callsmith/contracts';

const ranks = { failed: 0, invalid: 1, repaired: 2, clean: 3 } as const;

/** How many answers came out as then, better, worse, in another way, or could not be read. */
export interface ReplaySums {
  readonly same: number;
  readonly better: number;
  readonly worse: number;
  readonly otherwise: number;
  readonly unread: number;
}

/** Whether one answer came out as then, and if not, whether it came out better: clean before repaired before invalid before failed. */
export function changeOf({ old, new: now, differences }: ReplayRow): keyof ReplaySums {
  if (now === null) return 'unread';
  if (differences.length === 0) return 'same';
  const [before, after] = [rankOf(old.outcome), rankOf(now.outcome)];
  if (before === undefined || after === undefined || before === after) return 'otherwise';
  return after > before ? 'better' : 'worse';
}

/** What the rows of a replay come to. */
export function sumsOf(rows: readonly ReplayRow[]): ReplaySums {
  const sums = { same: 0, better: 0, worse: 0, otherwise: 0, unread: 0 };
  for (const row of rows) sums[changeOf(row)] += 1;
  return sums;
}

/** The sums in words, e.g. `12 unchanged, 3 better, 1 could not be parsed`. */
export function changesText(sums: ReplaySums): string {
  const words: Record<keyof ReplaySums, string> = {
    same: 'unchanged',
    better: 'better',
    worse: 'worse',
    otherwise: 'changed',
    unread: 'could not be parsed',
  };
  return (Object.keys(words) as (keyof ReplaySums)[])
    .filter((name) => sums[name] > 0)
    .map((name) => `${sums[name]} ${words[name]}`)
    .join(', ');
}

function rankOf(outcome: ReplayRow['old']['outcome']): number | undefined {
  return outcome === null || outcome === 'none' ? undefined : ranks[outcome];
}
