import type { ProbeArm, SupportFound } from '@callsmith/data/probes';
import type { ProbeAnswer, ProbeSize } from '@callsmith/evaluate';
import type { JsonObject } from '@callsmith/turn';

/** Nest's token of the `ProbeClient`; the process that runs the jobs provides it. */
export const PROBE_CLIENT = Symbol('PROBE_CLIENT');

/** A model on one upstream. */
export interface ProbedModel {
  readonly modelId: string;
  readonly upstreamId: string;
}

/** The result of a request. */
export interface MeasuredAnswer extends ProbeAnswer {
  /** It needed no repair, no correction and no retreat. */
  readonly clean: boolean;
  /** Why there was no response, in a sentence; null: there was one. */
  readonly refusal: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly firstTokenMs: number | null;
}

/** Sends requests to a model that belong to no key: no limit, metric or record is affected. */
export interface ProbeClient {
  /**
   * The sensible arms for a model in a probe of this size, and which of them is in effect. Throws a `Fault` if the
   * model is gone.
   */
  arms(model: ProbedModel, size: ProbeSize): { readonly arms: readonly ProbeArm[]; readonly inEffect: number };
  /**
   * Sends a request of `/v1/chat/completions` (without `model`) through the normal request path, in the given arm.
   * Throws a `Fault` if the process is stopping or the model is gone.
   */
  ask(model: ProbedModel, arm: ProbeArm, request: JsonObject, signal: AbortSignal): Promise<MeasuredAnswer>;
  /** Sends one request for each feature that a server may support, directly to it. Throws as `ask` does. */
  support(model: ProbedModel, signal: AbortSignal): Promise<readonly SupportFound[]>;
}
