import type { Stage } from '@callsmith/stream';
import type { Fault, Folded, JsonObject, JsonValue, Turn, TurnEvent } from '@callsmith/turn';

/** What the gateway says of itself in an answer. */
export interface ResponseHead {
  /** e.g. `chatcmpl-…` or `resp_…`. */
  readonly id: string;
  /** The public model name, as the client asked for it. */
  readonly model: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** Bounds on a request body; a request beyond one of them is refused with a 400 that names it. */
export interface BodyLimits {
  readonly maxDepth: number;
  readonly maxMessages: number;
  readonly maxTools: number;
}

/** An API that we offer to clients. */
export interface InboundAdapter {
  readonly name: 'chat-completions' | 'responses';
  /** Reads a parsed body into our neutral form. Hand-written checks, no cloning; throws a `Fault` with `param`. */
  parseRequest(body: JsonValue, limits: BodyLimits): Turn;
  /** Where the client put the message of this index in its body, for error messages: `messages[3]`, `input[5]`. */
  messagePath(turn: Turn, message: number): string;
  /** Answer events to text for the client, SSE frames included, in the one shape that every client accepts. */
  streamFrames(turn: Turn, head: ResponseHead): Stage<TurnEvent, string>;
  /** A whole answer as JSON. */
  wholeResponse(turn: Turn, head: ResponseHead, folded: Folded): JsonObject;
  /** An error in mid-stream: the frames that end the stream. `head` is the very object that `frames` was given. */
  errorFrames(fault: Fault, head: ResponseHead): string;
  /** What keeps a silent stream alive on every client: an empty delta of this API and a comment line. */
  heartbeat(head: ResponseHead): string;
}
