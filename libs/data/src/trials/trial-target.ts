import type { StrategyUsed } from '@callsmith/turn';

/** What the requests of a trial go through. */
export interface TrialTarget {
  readonly strategy: StrategyUsed;
  /** A dialect's name or `auto`. */
  readonly dialect: string;
}
