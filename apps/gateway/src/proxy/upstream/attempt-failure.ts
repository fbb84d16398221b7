import type { EngineFailure } from '@callsmith/protocols';
import type { UnusableAnswer } from '@callsmith/toolcall';
import { Fault, type Turn } from '@callsmith/turn';
import type { SendFailure } from './send-failure.ts';

/** Why an attempt gave no usable response, and what was sent. */
export interface AttemptFailure {
  readonly fault: Fault;
  /**
   * Where it failed. The kinds of `SendFailure`: in the transport; `status`: the server answered with an error;
   * `answer`: its response cannot be used, or the request could not be sent.
   */
  readonly kind: SendFailure['kind'] | 'status' | 'answer';
  /** The HTTP status of an error response. */
  readonly status?: number;
  /** The body of an error response, as text. */
  readonly body?: string;
  /** The failure of the engine itself that an error response reports, if it is a known one. */
  readonly engine?: EngineFailure;
  /**
   * The request that was sent: the names of its parameters, its body as JSON text, and the turn that it was made from.
   */
  readonly sent?: {
    readonly parameters: readonly string[];
    readonly body: string;
    readonly turn: Turn;
    /** Whether the gateway constrained the engine's output to calls. */
    readonly constrained: boolean;
  };
}

/** Turns a caught `Fault` into the failure of an attempt. Rethrows any other error. */
export function asFailure(error: unknown): AttemptFailure & { readonly kind: 'answer' } {
  if (error instanceof Fault) return { fault: error, kind: 'answer' };
  throw error;
}

/**
 * A complete response without a usable call where one was intended. It is held back, so that the call can be corrected
 * (D-35).
 */
export interface UnusableReply {
  readonly answer: UnusableAnswer;
  /** Sends the response to the client unchanged. Returns the failure that it ends with, if any. */
  release(): AttemptFailure | undefined;
}
