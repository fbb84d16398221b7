import type { EngineFailure } from '@callsmith/protocols';
import type { UnusableAnswer } from '@callsmith/toolcall';
import { Fault, type Turn } from '@callsmith/turn';
import type { SendFailure } from './send-failure.ts';

/** Why an attempt came to nothing. */
export interface AttemptFailure {
  readonly fault: Fault;
  /** As a `SendFailure`'s; `status`: an error reply; `answer`: a reply that cannot be used, or a request that cannot be sent. */
  readonly kind: SendFailure['kind'] | 'status' | 'answer';
  /** HTTP status of an error reply. */
  readonly status?: number;
  /** An error reply's text. */
  readonly body?: string;
  /** What the engine itself could not do, where it says so. */
  readonly engine?: EngineFailure;
  /** What was sent: its parameters by name, its text, and the turn that it says. */
  readonly sent?: {
    readonly parameters: readonly string[];
    readonly body: string;
    readonly turn: Turn;
    /** The engine was held to calls by us. */
    readonly constrained: boolean;
  };
}

/** A fault that was thrown, as the failure of an attempt. Throws whatever else it was. */
export function asFailure(error: unknown): AttemptFailure & { readonly kind: 'answer' } {
  if (error instanceof Fault) return { fault: error, kind: 'answer' };
  throw error;
}

/** A whole answer without a usable call where one was meant, which is held back. */
export interface UnusableReply {
  readonly answer: UnusableAnswer;
  /** Lets it out as it is; answers with the fault that it ends with, if any. */
  release(): AttemptFailure | undefined;
}
