import type { Fault, Finding, JsonObject, TurnEvent, Usage } from '@callsmith/turn';
import type { ResponseSummary } from '../record/response-summary.ts';

/** What can be paused while the client reads slower than the model writes. */
export interface FlowControl {
  pause(): void;
  resume(): void;
}

/**
 * The answer that faces the client. Several attempts may feed it one after the other, as long as nothing of what the
 * next would replace has gone out.
 */
export interface ClientResponse {
  /** What went out; frames that pass through as they come are counted by who reads them. */
  readonly summary: ResponseSummary;
  /** Text, reasoning or a call has gone out: no other attempt may take over (D-23). */
  readonly committed: boolean;
  /** The one call that a client without parallel calls wanted is out: nothing more is needed. */
  readonly satisfied: boolean;
  /** The upstream request that feeds it now. */
  source: FlowControl | undefined;
  /** A new attempt feeds it from now on: what the one before said does not count. */
  begin(): void;
  push(event: TurnEvent): void;
  /** As a sink's. */
  pushText(text: string): boolean;
  flush(): void;
  /** Something that was noticed or done about the request. */
  note(note: Finding): void;
  /** A frame in the client's own form, of a turn that passes through. */
  passFrame(frame: string): void;
  /** A whole answer in the client's own form, of a turn that passes through. */
  passWhole(whole: JsonObject): void;
  /** The token counts that a stream asked for and its server did not tell, of a turn that passed through; its end follows. */
  passUsage(usage: Usage): void;
  /** The end. With a fault: as an HTTP error while that is possible, else as an event in the stream. */
  end(fault?: Fault): void;
}

/** How an answer leaves that is one JSON body: a whole one, or an error in the form of the route's API. */
export interface SendBody {
  whole(body: JsonObject): void;
  fault(fault: Fault): void;
}
