import type { UsageSums } from '@callsmith/contracts';
import type { StatsFilter, UsagePoint } from '@callsmith/data/stats';
import { stepStarts } from './steps.ts';

/** The token and turn sums among others. */
export const sumsIn = ({
  turns,
  inputTokens,
  outputTokens,
  cachedTokens,
  injectedTokens,
  spend,
}: UsageSums): UsageSums => ({
  turns,
  inputTokens,
  outputTokens,
  cachedTokens,
  injectedTokens,
  spend,
});

const nothing: UsageSums = { turns: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, injectedTokens: 0, spend: 0 };

/** One point for every step, also without requests. */
export function pointsOf(
  parts: readonly UsagePoint[],
  filter: StatsFilter,
  step: number,
): (UsageSums & { at: string })[] {
  const byStep = new Map<number, UsageSums>();
  for (const part of parts) byStep.set(+part.at, plus(byStep.get(+part.at) ?? nothing, part));
  return stepStarts(filter, step).map((at) => ({ at: at.toISOString(), ...(byStep.get(+at) ?? nothing) }));
}

/** One value's tokens in and out, step by step; empty if it is not among the parts. */
export function seriesOf(parts: readonly UsagePoint[], id: string, filter: StatsFilter, step: number): number[] {
  const own = new Map(parts.filter((part) => part.id === id).map((part) => [+part.at, part]));
  if (own.size === 0) return [];
  return stepStarts(filter, step).map((at) => {
    const part = own.get(+at);
    return part ? part.inputTokens + part.outputTokens : 0;
  });
}

const plus = (a: UsageSums, b: UsageSums): UsageSums => ({
  turns: a.turns + b.turns,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  injectedTokens: a.injectedTokens + b.injectedTokens,
  spend: a.spend + b.spend,
});
