import { recommend } from '../recommend.ts';
import { ONE_SIDED_Z, type RateInterval, wilson } from '../statistics/wilson.ts';
import { type Call, type Evidence, isSameForm, type ProbeFound, type StrategyForm } from './evidence.ts';
import { stratifiedDifference } from './stratified-difference.ts';
import { withoutDominantKey } from './without-dominant-key.ts';

/** The action of `auto`. `why`: one sentence with its evidence. */
export type Decision =
  | { readonly does: 'stay'; readonly why: string }
  | { readonly does: 'move'; readonly to: StrategyForm; readonly why: string }
  /** Traffic alone is not enough evidence for a choice. */
  | { readonly does: 'probe'; readonly size: 'quick' | 'full'; readonly why: string }
  /** It would switch, but has switched too often already. */
  | { readonly does: 'alert'; readonly why: string };

/** The newest calls that count. */
const WINDOW = 100;
/** Fewer calls prove nothing. */
const ENOUGH = 30;
/** With fewer requests a probe proves nothing about a strategy. */
const ENOUGH_PROBED = 20;
/** Below this share of failed calls nothing is in doubt, however small the budget. */
const DOUBT = 0.05;
/** The minimum improvement, in the worst case. */
const BETTER_BY = 0.02;
/** Calls after a switch before traffic switches again. */
const REST = 100;
/** Maximum switches in 24 hours. */
const MOST_MOVES = 2;
/** A probe is not requested again before this. */
const PROBE_HOURS = 24;

/**
 * A probe decides; traffic only raises doubt. The first rule that applies decides:
 *
 * | evidence | action |
 * |---|---|
 * | an admin set the strategy, and the failure budget is not used up | stays |
 * | a new probe found a significantly better strategy | moves to it |
 * | fewer than 30 calls, or fewer than 100 since the last move | stays |
 * | lower bound of the failed share of the last 100 calls at most 5 % or twice the budget (the higher one), or the budget if used up | stays |
 * | in some kinds of calls another strategy is better, in others this one | requests a probe |
 * | another strategy's failed share is 2 points lower, even at its upper bound | moves to it |
 * | no probe of the last 24 hours, or only a quick one | requests one: first a quick one, then a full one |
 * | – | stays |
 *
 * A model that moved twice in 24 hours raises an alert instead. Bounds of shares are one-sided at 95 % (Wilson).
 */
export function decide(evidence: Evidence): Decision {
  const { now, probe, moves, usedUp, budget } = evidence;
  if (evidence.declared && !usedUp) return stay('It was set, and its failure budget is not used up');
  const probed = probe?.isNew ? probedBetter(probe, now) : undefined;
  if (probed) return moves >= MOST_MOVES ? tooOften(probed.why) : probed;
  const own = withoutDominantKey(evidence.calls.filter((call) => call.sinceMove && isSameForm(call, now)));
  const failed = failedOf(own.slice(0, WINDOW));
  if (failed === undefined || failed.n < ENOUGH)
    return stay(`${failed?.n ?? 0} of ${ENOUGH} calls that a decision takes`);
  if (moves > 0 && own.length < REST) return stay(`${own.length} of ${REST} calls since the last move`);
  const most = usedUp ? budget : Math.max(DOUBT, 2 * budget);
  if (failed.low <= most) return stay(`${shown(failed)} failed`);
  const doubt = `${shown(failed)} failed with ${formName(now)}${usedUp ? ' and the failure budget is used up' : ''}`;
  const others = candidates(evidence, own);
  if (others.some(({ mixed }) => mixed))
    return maybeProbe(probe, `${doubt}; another strategy is better for some calls and worse for others`);
  const [best] = others
    .filter(({ worst }) => worst <= failed.value - BETTER_BY)
    .sort((one, other) => one.worst - other.worst);
  if (best === undefined) return maybeProbe(probe, doubt);
  const why = `${doubt}, against ${best.shown} with ${formName(best.form)}.`;
  return moves >= MOST_MOVES ? tooOften(why) : { does: 'move', to: best.form, why };
}

function probedBetter({ arms, size }: ProbeFound, now: StrategyForm): Decision | undefined {
  const inEffect = arms.findIndex((arm) => isSameForm(arm, now));
  if (inEffect < 0) return undefined;
  const { arm, sentence } = recommend(arms, inEffect, size);
  const to = arm === null ? undefined : arms[arm];
  return to && { does: 'move', to: formOf(to), why: sentence };
}

/** Another form, and the upper bound of its failed share. */
interface Candidate {
  readonly form: StrategyForm;
  readonly worst: number;
  readonly mixed: boolean;
  readonly shown: string;
}

/** The evidence about the other forms: their own calls, else the probe. */
function candidates({ now, calls, probe }: Evidence, own: readonly Call[]): Candidate[] {
  const live: Candidate[] = [];
  for (const form of formsIn(calls, now)) {
    const formCalls = withoutDominantKey(calls.filter((call) => isSameForm(call, form))).slice(0, WINDOW);
    const failed = failedOf(formCalls);
    if (failed === undefined || failed.n < ENOUGH) continue;
    const { difference, mixed } = stratifiedDifference(own.slice(0, WINDOW), formCalls);
    if (difference === undefined || (difference < BETTER_BY && !mixed)) continue;
    live.push({ form, worst: failed.high, mixed, shown: shown(failed) });
  }
  const probed = (probe?.arms ?? []).flatMap((arm): Candidate[] => {
    if (isSameForm(arm, now) || live.some(({ form }) => isSameForm(form, arm))) return [];
    const failed = wilson(arm.rows.filter(({ right }) => !right).length, arm.rows.length, ONE_SIDED_Z);
    if (failed === null || failed.n < ENOUGH_PROBED) return [];
    return [{ form: formOf(arm), worst: failed.high, mixed: false, shown: `${shown(failed)} of the probe's` }];
  });
  return [...live, ...probed];
}

function formsIn(calls: readonly Call[], now: StrategyForm): StrategyForm[] {
  const forms: StrategyForm[] = [];
  for (const call of calls)
    if (!isSameForm(call, now) && !forms.some((form) => isSameForm(form, call))) forms.push(formOf(call));
  return forms;
}

function maybeProbe(probe: ProbeFound | undefined, doubt: string): Decision {
  if (probe === undefined || probe.hoursAgo >= PROBE_HOURS)
    return { does: 'probe', size: 'quick', why: `${doubt}; a probe will show what is better.` };
  if (probe.size === 'quick') return { does: 'probe', size: 'full', why: `${doubt}; a full probe will show more.` };
  return stay(`${doubt}, and the probe found nothing that is clearly better`);
}

const failedOf = (calls: readonly Call[]): RateInterval | undefined =>
  wilson(calls.filter(({ bad }) => bad).length, calls.length, ONE_SIDED_Z) ?? undefined;

const formOf = ({ strategy, dialect }: StrategyForm): StrategyForm => ({
  strategy,
  dialect: strategy === 'prompt' ? dialect : null,
});

/** The displayed form, e.g. `prompt with hermes`. */
export const formName = ({ strategy, dialect }: StrategyForm): string =>
  strategy === 'prompt' && dialect !== null ? `${strategy} with ${dialect}` : strategy;

const shown = ({ value, n }: RateInterval): string => `${Math.round(value * n)} of ${n}`;

const stay = (why: string): Decision => ({ does: 'stay', why: `${why}.` });

const tooOften = (why: string): Decision => ({
  does: 'alert',
  why: `It moved ${MOST_MOVES} times in 24 hours and does not move again. ${why}`,
});
