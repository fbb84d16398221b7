import type { TrialAnswer } from '@callsmith/contracts';
import type { TrialTarget } from '@callsmith/data/trials';

/** Nest's token of what `TrialRunner`; the process that does the jobs provides it. */
export const TRIAL_RUNNER = Symbol('TRIAL_RUNNER');

/** A request to be sent again. */
export interface TrialRequest extends TrialTarget {
  readonly modelId: string;
  /** The client's request as JSON text. */
  readonly request: string;
  /** The route that it came by, e.g. `/v1/responses`. */
  readonly route: string;
  /** Whose request it was: kept responses are found by it. Null: nobody's. */
  readonly keyId: string | null;
}

/** Sends a request through a model's upstreams as a live turn would go, for nobody. */
export interface TrialRunner {
  /** How it came out; what goes wrong on the way is such an answer too. Throws a `Fault` if the process is stopping. */
  tryRequest(turn: TrialRequest, signal: AbortSignal): Promise<TrialAnswer>;
}
