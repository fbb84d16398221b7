import type { Range } from '@callsmith/turn';
import type { CallObserver, PendingCall } from '../finalize/pending-call.ts';

/** Thrown where the answer has all the calls that it may have: the text is read no further. */
export const callLimitReached = Symbol('answer is full');

/** Where the text parser puts what it finds. */
export interface ParserOutput {
  emitText(text: string): void;
  /** White space between calls and text. */
  emitWhitespace(space: string): void;
  emitReasoning(text: string): void;
  /** Throws `answerIsFull`. */
  openCall(rawName: string): PendingCall;
  /** A call that is not yet part of the answer. Throws `answerIsFull`. */
  openSpeculative(rawName: string, observer: CallObserver): PendingCall;
  /** Makes speculative calls part of the answer. */
  commit(calls: readonly PendingCall[]): void;
  /** Calls were found in reasoning that was closed; of them, those that could be the answer if there is no other. */
  leaveInReasoning(promotable: readonly PendingCall[]): void;
  /** A remark on no call in particular. */
  note(detail: string, range: Range): void;
}
