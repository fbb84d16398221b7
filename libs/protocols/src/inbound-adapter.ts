import type { Stage } from '@callsmith/stream';
import type { Fault, Folded, JsonObject, JsonValue, Message, Turn, TurnEvent, Usage } from '@callsmith/turn';
import type { OutboundName } from './outbound-adapter.ts';

/** The gateway's own values in a response. */
export interface ResponseHead {
  /** e.g. `chatcmpl-…` or `resp_…`. */
  readonly id: string;
  /** The public model name in the client's request. */
  readonly model: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The client fails on event types that its API does not have. */
  readonly knownEventsOnly?: true;
}

/** Limits on a request body; a request that exceeds one is refused with a 400 that names it. */
export interface BodyLimits {
  readonly maxDepth: number;
  readonly maxMessages: number;
  readonly maxTools: number;
  /** More tools may be added later: `checkChoice` checks `tool_choice` then. */
  readonly moreTools?: true;
}

/** A model in a list of models. */
export interface ListedModel {
  readonly name: string;
  /** Tokens; undefined if unknown. */
  readonly contextLength?: number;
}

/** The query of a list. */
export type ListQuery = Readonly<Record<string, string | undefined>>;

/** A member of a request that identifies its user. */
export interface UserMember {
  readonly member: string;
  readonly value: string;
}

/** The headers of a request, in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An HTTP error response. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** A key's limit per minute, its remainder, and when it is full again. */
interface RateLimit {
  readonly limit: number;
  readonly left: number;
  readonly resetsAt: Date;
}

/** The limits per minute of a key. */
export type RateLimits = { readonly [Name in 'requests' | 'tokens']?: RateLimit };

/** An API for clients. Everything specific to it is here; no other code depends on which API it is. */
export interface InboundAdapter {
  /**
   * Its route after the base URL, e.g. `/chat/completions`. A recorded request's API is known by the end of its route.
   */
  readonly path: string;
  /** The address of its chat endpoint, if it is not `/v1` and the route. */
  readonly address?: string;
  /** The prefix of its response ids, e.g. `chatcmpl-`. */
  readonly idPrefix: string;
  /** The operation's name in OpenTelemetry's conventions; undefined: `chat`. */
  readonly operation?: string;
  /** The model server API that is closest to this one; used for it if the server keeps more apart there. */
  readonly nearest: OutboundName;
  /** A header that its clients always send, which identifies the API on shared routes. */
  readonly versionHeader?: string;
  /** The header in which its clients look for a request's id, in addition to the gateway's own. */
  readonly requestIdHeader?: string;
  /** The header in which its clients identify the conversation. */
  readonly conversationHeader?: string;
  /** By its headers: a client that fails on unknown event types. */
  knowsOwnEventsOnly?(headers: RequestHeaders): boolean;
  /** Throws an error in the query, before anything else is checked. */
  checkQuery?(query: ListQuery): void;
  /** How its clients learn what remains of their key's limits. */
  rateLimitHeaders(limits: RateLimits): Readonly<Record<string, string>>;
  /** Its clients accept only complete calls: none is sent before its end. */
  readonly wholeCalls?: true;
  /** Its clients are informed which tools of MCP servers ran, and may be asked for approval. */
  readonly reportsToolRuns?: true;
  /** Parses a body into the neutral form. Handwritten checks, no cloning; throws a `Fault` with `param`. */
  parseRequest(body: JsonValue, limits: BodyLimits): Turn;
  /**
   * The body with one empty message as its conversation, and without references to stored ones: only its tools and
   * settings remain.
   */
  withoutConversation(body: JsonObject): JsonObject;
  /** The members of a body that identify its user; they are neither sent on nor stored. */
  userOf?(body: JsonObject): UserMember | undefined;
  /** The path of the message of this index in the client's body, for error messages: `messages[3]`, `input[5]`. */
  messagePath(turn: Turn, message: number): string;
  /** The name of a tool result's reference to its call: `tool_call_id`, `call_id`. */
  readonly callIdName: string;
  /** The media type of its streams; undefined: that of event streams. */
  readonly streamType?: string;
  /** Converts events to text for the client, including SSE frames, in the form that every client accepts. */
  streamFrames(turn: Turn, head: ResponseHead): Stage<TurnEvent, string>;
  /** A whole response as JSON. */
  wholeResponse(turn: Turn, head: ResponseHead, folded: Folded): JsonObject;
  /** An error in mid-stream: the frames that end the stream. `head` is the same object that `streamFrames` got. */
  errorFrames(fault: Fault, head: ResponseHead): string;
  /** An error before anything was sent, also before the body was parsed. */
  errorResponse(fault: Fault, requestId: string): ErrorResponse;
  /** A heartbeat that every client accepts: an empty delta of this API and a comment line. */
  heartbeat(head: ResponseHead): string;
  /** Counting a prompt's tokens. Undefined: this API has no such route. */
  readonly counting?: {
    parseRequest(body: JsonValue, limits: BodyLimits): Turn;
    response(inputTokens: number): JsonObject;
  };
  /** Models in this API's own form. Undefined: in OpenAI's. */
  readonly modelList?: {
    /** Throws `invalid_parameter`. */
    list(models: readonly ListedModel[], query: ListQuery): JsonObject;
    one(model: ListedModel): JsonObject;
  };
  /** Undefined: responses are never passed through. */
  readonly passthrough?: Passthrough;
  /** Undefined: responses of this API are not stored. */
  readonly storedState?: StoredState;
}

/** Passes responses through unchanged, if the model server supports the same API. */
export interface Passthrough {
  /** The API whose payloads these are. */
  readonly outbound: OutboundName;
  /** True for a turn whose response need not be parsed. */
  applies(turn: Turn): boolean;
  /**
   * Converts the server's stream payloads to frames for the client. `isCounted`: the server has reported token counts.
   * If the client requested them and they are missing, the last frames are left to `usageAndDone`.
   */
  stream(turn: Turn, head: ResponseHead, isCounted: () => boolean): Stage<string, string>;
  /** The last frames of a stream whose server reported no counts, with the gateway's own. */
  usageAndDone(head: ResponseHead, usage: Usage): string;
  /** A whole response for the client. Throws the error that it contains. */
  whole(reply: JsonValue, head: ResponseHead): JsonObject;
}

/** A stored response, and the conversation after it. */
export interface StoredResponse {
  readonly messages: readonly Message[];
  readonly response: JsonObject;
}

/** Finds a stored response by its id; undefined: none of that id is stored for this key. */
export type FindResponse = (id: string) => Promise<StoredResponse | undefined>;

/** How an API stores its responses, and how a request continues from them. */
export interface StoredState {
  /** Replaces references to stored items in the body. Throws `invalid_parameter` for a missing one. */
  resolveReferences(body: JsonValue, limits: BodyLimits, find: FindResponse): Promise<void>;
  /** The id of the response from which a turn continues. */
  previousId(turn: Turn): string | undefined;
  /** A turn that continues a stored conversation. */
  continueFrom(turn: Turn, stored: readonly Message[]): Turn;
  /** The input of a stored response, as a list. Throws `invalid_parameter`. */
  inputItems(stored: StoredResponse, query: ListQuery): JsonObject;
  /** True if the client allows the response to be stored. */
  mayStore(turn: Turn): boolean;
  /** The conversation after a response, which is stored. */
  conversationAfter(turn: Turn, folded: Folded): readonly Message[];
}
