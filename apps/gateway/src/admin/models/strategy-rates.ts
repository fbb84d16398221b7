import { judged, malformed, type OutcomeCounts, type StrategyRates, unusable } from '@callsmith/contracts';
import type { Probe } from '@callsmith/data/probes';
import { armResult, wilson } from '@callsmith/evaluate';
import type { StrategyUsed } from '@callsmith/turn';

/**
 * The recorded rates of a model under one strategy; F1 comes from a probe, because traffic does not show which calls
 * were right.
 */
export function strategyRates(counts: OutcomeCounts, strategy: StrategyUsed, probe: Probe | undefined): StrategyRates {
  const n = judged(counts);
  const whole = n - counts.failed;
  return {
    counts,
    valid: wilson(n - unusable(counts), n),
    failed: wilson(unusable(counts), n),
    malformed: wilson(malformed(counts), n),
    noCall: wilson(counts.none, counts.none + n),
    schemaAccuracy: wilson(whole - counts.invalid, whole),
    triggerF1: probe ? f1In(probe, strategy) : null,
  };
}

/** The result of the arm in effect, else of the strategy's first arm: the model's own dialect comes first. */
function f1In({ arms, inEffect, rows, endedAt, at }: Probe, strategy: StrategyUsed): StrategyRates['triggerF1'] {
  const arm = arms[inEffect]?.strategy === strategy ? inEffect : arms.findIndex((one) => one.strategy === strategy);
  const own = rows.filter((row) => row.arm === arm);
  const { triggerF1: value, refused } = armResult(own);
  return value === null ? null : { value, n: own.length - refused, at: (endedAt ?? at).toISOString() };
}
