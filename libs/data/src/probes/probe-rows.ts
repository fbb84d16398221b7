import type { StrategyUsed } from '@callsmith/turn';

/** What the requests of a probe go through: a strategy, with a dialect where it writes calls as text. */
export interface ProbeArm {
  readonly strategy: StrategyUsed;
  /** Null: the model's own, as it is set. */
  readonly dialect: string | null;
  /** Whether the tool prompt has example calls; absent: as the model is set. */
  readonly examples?: boolean;
}

/** How one request of one arm came out. */
export interface ProbeRow {
  /** Index of the arm. */
  readonly arm: number;
  /** That of its question, the same in every arm. */
  readonly key: string;
  readonly case: number;
  readonly streamed: boolean;
  /** A call was what is right. */
  readonly wanted: boolean;
  readonly right: boolean;
  /** Why it is not right, in a few words. */
  readonly why: string | null;
  /** What came instead, shortened; null where it is right. */
  readonly said: string | null;
  /** Calls that went out, and whether all of them satisfy their schemas. */
  readonly calls: number;
  readonly valid: boolean;
  /** It needed no repair, no second try and no other form. */
  readonly clean: boolean;
  /** No answer came, or it was not asked any more. */
  readonly refused: boolean;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly firstTokenMs: number | null;
}

/** One thing that a server takes or not. */
export interface SupportFound {
  /** e.g. `tool_choice: required`. */
  readonly what: string;
  /** It has an effect; is taken, but an effect does not show; has none; is refused; no answer came. */
  readonly support: 'works' | 'taken' | 'no effect' | 'refused' | 'unknown';
  /** What the server said or did. */
  readonly detail: string;
}

/** What a probe may use at most. */
export interface ProbeBudget {
  readonly requests: number;
  readonly tokens: number;
  readonly minutes: number;
}

/** What a probe has used so far. */
export interface ProbeSpent {
  readonly requests: number;
  readonly tokens: number;
  readonly ms: number;
}
