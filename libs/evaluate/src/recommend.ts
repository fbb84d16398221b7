import { type ArmResult, type ArmRow, armResult } from './arm-result.ts';
import { type DiscordantPairs, discordantPairs, type Measure, measures, SIGNIFICANCE_LEVEL } from './paired.ts';
import { looksOf, type ProbeSize } from './rounds.ts';
import { holm } from './statistics/holm.ts';
import { mcnemar } from './statistics/mcnemar.ts';

/** An arm with its displayed name and its results. */
export interface MeasuredArm {
  readonly name: string;
  readonly rows: readonly ArmRow[];
}

/** The recommendation of a probe. */
export interface Recommendation {
  /** Index of the recommended arm; null: none is significantly better than the one in effect. */
  readonly arm: number | null;
  /** One sentence with its evidence. */
  readonly sentence: string;
}

/**
 * Compares all arms with the one in effect, pair by pair (exact McNemar, Holm over the arms): by what clients would
 * get, and by what the model does unaided, without repair, correction or retreat. Recommends, of the arms that are
 * significantly better and not worse for clients, the one with the most right answers; of equal ones the one that uses
 * fewer tokens. An inconclusive full probe sends more, and so is tested twice: each p is doubled (Bonferroni).
 */
export function recommend(arms: readonly MeasuredArm[], inEffect: number, size: ProbeSize): Recommendation {
  const now = arms[inEffect];
  if (now === undefined || now.rows.length === 0) return { arm: null, sentence: 'Nothing was measured.' };
  const others = arms.flatMap((arm, index) => (index === inEffect ? [] : [{ ...arm, index }]));
  const surely = measures
    .flatMap((measure) => compared(others, now, { measure, looks: looksOf(size) }))
    .filter(
      ({ wins, losses, p, arm }) =>
        wins > losses && p < SIGNIFICANCE_LEVEL && !isWorse(discordantPairs(arm.rows, now.rows, 'right')),
    );
  const base = armResult(now.rows);
  const [best] = surely.sort(
    (one, other) =>
      shareOf(other.result, 'right') - shareOf(one.result, 'right') ||
      shareOf(other.result, 'clean') - shareOf(one.result, 'clean') ||
      costOf(one.result) - costOf(other.result),
  );
  if (best === undefined) return { arm: null, sentence: noneBetter(now, base, others) };
  const { arm, measure, wins, losses, p, result } = best;
  return {
    arm: arm.index,
    sentence: `Change to ${arm.name}: ${words[measure]} in ${share(result, measure)}, against ${share(base, measure)} with ${now.name}; of the requests that differ, ${wins} favor it and ${losses} do not (p ${shown(p)}).`,
  };
}

/** Arms compared with the one in effect by one measure, each with its adjusted p. */
function compared<Arm extends MeasuredArm>(
  others: readonly Arm[],
  now: MeasuredArm,
  { measure, looks }: { readonly measure: Measure; readonly looks: number },
) {
  const counted = others.map((arm) => ({
    arm,
    measure,
    result: armResult(arm.rows),
    ...discordantPairs(arm.rows, now.rows, measure),
  }));
  const adjusted = holm(counted.map(({ wins, losses }) => mcnemar(wins, losses)));
  return counted.map((one, at) => ({ ...one, p: Math.min(1, looks * (adjusted[at] ?? 1)) }));
}

const words: Readonly<Record<Measure, string>> = {
  right: 'right',
  clean: 'right without repair or a second try',
};

const isWorse = ({ wins, losses }: DiscordantPairs): boolean => wins < losses;
const shareOf = (result: ArmResult, measure: Measure): number => result[measure]?.value ?? 0;
const costOf = ({ inputTokens, outputTokens }: ArmResult): number => (inputTokens ?? 0) + (outputTokens ?? 0);

function noneBetter(now: MeasuredArm, base: ArmResult, others: readonly MeasuredArm[]): string {
  const measured = `${now.name} was right in ${share(base, 'right')}`;
  if (others.length === 0) return `${measured}; nothing else was measured.`;
  const hint = others.find((arm) => {
    const { wins, losses } = discordantPairs(arm.rows, now.rows, 'right');
    return wins > losses;
  });
  const better = hint ? `: ${hint.name} was better, but that may be chance; more requests can tell` : '';
  return `Stay with ${now.name}: ${measured}, and nothing was clearly better${better}.`;
}

function share(result: ArmResult, measure: Measure): string {
  const rate = result[measure];
  if (rate === null) return '0 of 0';
  const percent = (value: number): string => `${Math.round(value * 100)}`;
  return `${Math.round(rate.value * rate.n)} of ${rate.n} (${percent(rate.low)}–${percent(rate.high)} %)`;
}

const shown = (p: number): string => (p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`);
