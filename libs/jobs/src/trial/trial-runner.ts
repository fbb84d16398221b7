import type { TrialAnswer } from '@callsmith/contracts';
import type { TrialTarget } from '@callsmith/data/trials';

/** Nest's token of the `TrialRunner`; the process that runs the jobs provides it. */
export const TRIAL_RUNNER = Symbol('TRIAL_RUNNER');

/** A request to be sent again. */
export interface TrialRequest extends TrialTarget {
  readonly modelId: string;
  /** The client's request as JSON text. */
  readonly request: string;
  /** Its original route, e.g. `/v1/responses`. */
  readonly route: string;
  /** Its key: stored responses are looked up by it. Null: none. */
  readonly keyId: string | null;
}

/** Sends a request through a model's upstreams like a live turn, without a client. */
export interface TrialRunner {
  /** The result; errors on the way are results too. Throws a `Fault` if the process is stopping. */
  tryRequest(turn: TrialRequest, signal: AbortSignal): Promise<TrialAnswer>;
}
