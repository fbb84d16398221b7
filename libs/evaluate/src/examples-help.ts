import { type ArmRow, armResult } from './arm-result.ts';
import { discordantPairs, measures, SIGNIFICANCE_LEVEL } from './paired.ts';
import { holm } from './statistics/holm.ts';
import { mcnemar } from './statistics/mcnemar.ts';

/**
 * Whether a model does significantly better with example calls in its prompt than without: the same questions in both
 * arms, compared by what clients get and by what the model does unaided (exact McNemar, Holm over both). The sentence
 * gives the evidence; undefined: no significant help, or one of the two is worse.
 */
export function examplesHelp(withThem: readonly ArmRow[], without: readonly ArmRow[]): string | undefined {
  const compared = measures.map((measure) => discordantPairs(withThem, without, measure));
  if (compared.some(({ wins, losses }) => losses > wins)) return undefined;
  const adjusted = holm(compared.map(({ wins, losses }) => mcnemar(wins, losses)));
  if (!adjusted.some((p) => p < SIGNIFICANCE_LEVEL)) return undefined;
  return `with example calls ${shares(withThem)}, without ${shares(without)}`;
}

function shares(rows: readonly ArmRow[]): string {
  const { right, clean } = armResult(rows);
  const percent = (value: number | undefined): string => `${Math.round((value ?? 0) * 100)} %`;
  return `${percent(right?.value)} right (${percent(clean?.value)} by itself) of ${rows.length}`;
}
