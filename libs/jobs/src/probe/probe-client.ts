import type { ProbeArm, SupportFound } from '@callsmith/data/probes';
import type { ProbeAnswer, ProbeSize } from '@callsmith/evaluate';
import type { JsonObject } from '@callsmith/turn';

/** Nest's token of the `ProbeClient`; the process that does the jobs provides it. */
export const PROBE_CLIENT = Symbol('PROBE_CLIENT');

/** A model on one upstream. */
export interface ProbedModel {
  readonly modelId: string;
  readonly upstreamId: string;
}

/** What came of a request. */
export interface MeasuredAnswer extends ProbeAnswer {
  /** It needed no repair, no second try and no other form. */
  readonly clean: boolean;
  /** Why no answer came, in a sentence; null: one did. */
  readonly refusal: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly firstTokenMs: number | null;
}

/** Asks a model for nobody: no key, no limit, no figure and no record is touched. */
export interface ProbeClient {
  /** The arms that make sense for a model in a probe of this size, and which of them is in effect. Throws a `Fault` if the model is gone. */
  arms(model: ProbedModel, size: ProbeSize): { readonly arms: readonly ProbeArm[]; readonly inEffect: number };
  /**
   * Sends a request of `/v1/chat/completions` (without `model`) on the path that clients' requests take, in the given
   * arm. Throws a `Fault` if the process is stopping or the model is gone.
   */
  ask(model: ProbedModel, arm: ProbeArm, request: JsonObject, signal: AbortSignal): Promise<MeasuredAnswer>;
  /** Sends one request for each thing that a server may take, directly to it. Throws as `ask` does. */
  support(model: ProbedModel, signal: AbortSignal): Promise<readonly SupportFound[]>;
}
