import type { StrategyUsed } from '@callsmith/turn';

/** How the requests of a probe's arm are sent: a strategy, with a dialect if it writes calls as text. */
export interface ProbeArm {
  readonly strategy: StrategyUsed;
  /** Null: the model's own setting. */
  readonly dialect: string | null;
  /** Whether the tool prompt has example calls; undefined: by the model's setting. */
  readonly examples?: boolean;
}

/** The result of one request of one arm. */
export interface ProbeRow {
  /** Index of the arm. */
  readonly arm: number;
  /** The index of its question, the same in every arm. */
  readonly key: string;
  readonly case: number;
  readonly streamed: boolean;
  /** A call was expected. */
  readonly wanted: boolean;
  readonly right: boolean;
  /** Why it is wrong, in a few words. */
  readonly why: string | null;
  /** The actual output, shortened; null if it is right. */
  readonly said: string | null;
  /** Delivered calls, and whether all of them satisfy their schemas. */
  readonly calls: number;
  readonly valid: boolean;
  /** It needed no repair, no correction and no retreat. */
  readonly clean: boolean;
  /** There was no response, or it was not sent any more. */
  readonly refused: boolean;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly firstTokenMs: number | null;
}

/** One feature that a server may support. */
export interface SupportFound {
  /** e.g. `tool_choice: required`. */
  readonly what: string;
  /** It has an effect; is accepted without a visible effect; has none; is refused; there was no response. */
  readonly support: 'works' | 'taken' | 'no effect' | 'refused' | 'unknown';
  /** The server's message or behavior. */
  readonly detail: string;
}

/** The limits of a probe. */
export interface ProbeBudget {
  readonly requests: number;
  readonly tokens: number;
  readonly minutes: number;
}

/** The usage of a probe so far. */
export interface ProbeSpent {
  readonly requests: number;
  readonly tokens: number;
  readonly ms: number;
}
