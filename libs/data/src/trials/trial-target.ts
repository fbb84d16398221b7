import type { StrategyUsed } from '@callsmith/turn';

/** The strategy and dialect of a trial's requests. */
export interface TrialTarget {
  readonly strategy: StrategyUsed;
  /** A dialect's name or `auto`. */
  readonly dialect: string;
}
