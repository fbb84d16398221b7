import type { Fault, Finding, JsonObject, TurnEvent, Usage } from '@callsmith/turn';
import type { ResponseSummary } from '../record/response-summary.ts';

/** Pauses the upstream while the client reads slower than the model writes. */
export interface FlowControl {
  pause(): void;
  resume(): void;
}

/**
 * The response to the client. Several attempts may feed it one after the other, as long as nothing was sent that the
 * next one would replace.
 */
export interface ClientResponse {
  /**
   * The summary of what was sent. Frames that pass through are not in it by themselves: the passthrough observer adds
   * them.
   */
  readonly summary: ResponseSummary;
  /** Text, reasoning or a call was sent, so that no other attempt may be made (D-23). */
  readonly committed: boolean;
  /** A client without parallel calls has its one call: the rest of the upstream's response is not needed (D-19). */
  readonly satisfied: boolean;
  /** The current upstream request, to pause and resume. */
  source: FlowControl | undefined;
  /** Begins a new attempt: the output of the previous one is discarded. */
  begin(): void;
  push(event: TurnEvent): void;
  /** Like `pushText` of a sink. */
  pushText(text: string): boolean;
  flush(): void;
  /** Records a finding about the request. */
  note(note: Finding): void;
  /** Sends a frame that passes through, in the client's format. */
  passFrame(frame: string): void;
  /** Sends a whole response that passes through, in the client's format. */
  passWhole(whole: JsonObject): void;
  /**
   * Sends the usage of a stream that passed through, if the client requested it and the server did not send it. Only
   * the end may follow.
   */
  passUsage(usage: Usage): void;
  /**
   * Ends the response. A fault is sent as an HTTP error if nothing was sent, otherwise as an error event of the stream.
   */
  end(fault?: Fault): void;
}

/** Sends a response that is one JSON body: a whole response, or an error in the format of the route's API. */
export interface SendBody {
  whole(body: JsonObject): void;
  fault(fault: Fault): void;
}
