import type { FindingClass, StrategyUsed, TurnOutcome } from '@callsmith/turn';

/** How a request came out. */
export interface TrialAnswer {
  readonly outcome: TurnOutcome;
  readonly classes: readonly FindingClass[];
  readonly calls: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalMs: number;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** A failed turn as a trial remembers it. */
export interface TrialTurn {
  /** Its UUID. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly strategyUsed: string | null;
  readonly dialect: string | null;
}

/** One request of a trial: a failed turn's, or one that is built in. */
export interface TrialRow {
  readonly turn: TrialTurn | null;
  /** The built-in request's name. */
  readonly builtIn: string | null;
  /** How it came out then; null for a built-in one. */
  readonly old: TrialAnswer | null;
  /** How it comes out now; null: not tried yet. */
  readonly new: TrialAnswer | null;
}

/** What the requests of a trial go through. */
export interface TrialTarget {
  readonly strategy: StrategyUsed;
  /** A dialect's name or `auto`. */
  readonly dialect: string;
}
