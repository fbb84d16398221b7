import type { ProbeAnswer } from '@callsmith/evaluate';
import type { JsonObject, StrategyUsed } from '@callsmith/turn';

/** Nest's token of what `AsksModels`; the process that does the jobs provides it. */
export const ASKS_MODELS = Symbol('ASKS_MODELS');

/** What the requests of a probe go through: a strategy, with a dialect where it writes calls as text. */
export interface ProbeArm {
  readonly strategy: StrategyUsed;
  /** Null: the model's own, as it is set. */
  readonly dialect: string | null;
}

/** A model on one upstream. */
export interface ProbedModel {
  readonly modelId: string;
  readonly upstreamId: string;
}

/** What came of a request. */
export interface AskedAnswer extends ProbeAnswer {
  /** It needed no repair, no second try and no other form. */
  readonly clean: boolean;
  /** Why no answer came, in a sentence; null: one did. */
  readonly refusal: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
}

/** Whether a server takes something: it has an effect; is taken, but an effect does not show; has none; is refused; `unknown`: no answer came. */
export type Support = 'works' | 'taken' | 'no effect' | 'refused' | 'unknown';

/** One thing that a server takes or not. */
export interface SupportFound {
  /** e.g. `tool_choice: required`. */
  readonly what: string;
  readonly support: Support;
  /** What the server said or did. */
  readonly detail: string;
}

/** Asks a model for nobody: no key, no limit, no figure and no record is touched. */
export interface AsksModels {
  /**
   * Sends a request of `/v1/chat/completions` (without `model`) on the path that clients' requests take, in the given
   * arm. Throws a `Fault` if the process is stopping or the model is gone.
   */
  ask(model: ProbedModel, arm: ProbeArm, request: JsonObject, signal: AbortSignal): Promise<AskedAnswer>;
  /** Sends one request for each thing that a server may take, directly to it. Throws as `ask` does. */
  support(model: ProbedModel, signal: AbortSignal): Promise<readonly SupportFound[]>;
}
