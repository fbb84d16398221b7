import type { Range } from '@callsmith/turn';
import type { CallObserver, PendingCall } from '../finalize/pending-call.ts';

/** Thrown if the answer has as many calls as it may have: parsing stops. */
export const callLimitReached = Symbol('answer is full');

/** Receives what the text parser finds. */
export interface ParserOutput {
  /** The answer is longer than it may be, or has as many calls: nothing more is parsed. */
  isFull(): boolean;
  emitText(text: string): void;
  /** White space between calls and text. */
  emitWhitespace(space: string): void;
  emitReasoning(text: string): void;
  /** Throws `callLimitReached`. */
  openCall(rawName: string): PendingCall;
  /** A call that is not yet part of the answer. Throws `callLimitReached`. */
  openSpeculative(rawName: string, observer: CallObserver): PendingCall;
  /** Makes speculative calls part of the answer. */
  commit(calls: readonly PendingCall[]): void;
  /** Calls were found in closed reasoning; `promotable` are those that may be the answer if there is no other. */
  leaveInReasoning(promotable: readonly PendingCall[]): void;
  /** A note that is not about a particular call. */
  note(detail: string, range: Range): void;
}
