import type { ArmRow } from './arm-result.ts';

/** What may well be chance is not advised: the greatest p that counts. */
export const SIGNIFICANCE_LEVEL = 0.05;

/** Right as clients get it, and right by itself. */
export const measures = ['right', 'clean'] as const;
export type Measure = (typeof measures)[number];

/** Of the requests that differ, those for and against an arm. */
export interface DiscordantPairs {
  readonly wins: number;
  readonly losses: number;
}

/** Requests that came out well in one arm and not in the other. */
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
