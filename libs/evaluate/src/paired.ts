import type { ArmRow } from './arm-result.ts';

/** The significance level: with a greater p nothing is recommended. */
export const SIGNIFICANCE_LEVEL = 0.05;

/** Right as clients get it, and right unaided. */
export const measures = ['right', 'clean'] as const;
export type Measure = (typeof measures)[number];

/** Of the pairs that differ, those for and against an arm. */
export interface DiscordantPairs {
  readonly wins: number;
  readonly losses: number;
}

/** Pairs that were right in one arm and not in the other. */
export function discordantPairs(arm: readonly ArmRow[], now: readonly ArmRow[], measure: Measure): DiscordantPairs {
  const isGood = ({ right, clean }: ArmRow): boolean => right && (measure === 'right' || clean);
  const before = new Map(now.map((row) => [row.key, isGood(row)]));
  let [wins, losses] = [0, 0];
  for (const row of arm) {
    const other = before.get(row.key);
    if (other === undefined || other === isGood(row)) continue;
    if (other) losses++;
    else wins++;
  }
  return { wins, losses };
}
