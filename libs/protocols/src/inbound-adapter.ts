import type { Stage } from '@callsmith/stream';
import type { Fault, Folded, JsonObject, JsonValue, Message, Turn, TurnEvent, Usage } from '@callsmith/turn';
import type { OutboundName } from './outbound-adapter.ts';

/** What the gateway says of itself in an answer. */
export interface ResponseHead {
  /** e.g. `chatcmpl-…` or `resp_…`. */
  readonly id: string;
  /** The public model name, as the client asked for it. */
  readonly model: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The client fails on an event of a type that its API does not have. */
  readonly knownEventsOnly?: true;
}

/** Bounds on a request body; a request beyond one of them is refused with a 400 that names it. */
export interface BodyLimits {
  readonly maxDepth: number;
  readonly maxMessages: number;
  readonly maxTools: number;
  /** More tools may be put on offer: whether `tool_choice` fits them is checked by `checkChoice` then. */
  readonly moreTools?: true;
}

/** A model as a list of models tells of it. */
export interface ListedModel {
  readonly name: string;
  /** Tokens; undefined where nobody knows. */
  readonly contextLength?: number;
}

/** The query of a list. */
export type ListQuery = Readonly<Record<string, string | undefined>>;

/** A member of a request that says who its user is. */
export interface UserMember {
  readonly member: string;
  readonly value: string;
}

/** The headers of a request, in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An error as an HTTP answer. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** A limit per minute of a key, what is left of it, and when it is whole again. */
interface RateLimit {
  readonly limit: number;
  readonly left: number;
  readonly resetsAt: Date;
}

/** The limits per minute that a key has. */
export type RateLimits = { readonly [Name in 'requests' | 'tokens']?: RateLimit };

/** An API that we offer to clients. All that is particular to it stands here; nothing else asks which API it is. */
export interface InboundAdapter {
  /** Its route behind the base URL, e.g. `/chat/completions`. A recorded request is known by how its route ends. */
  readonly path: string;
  /** The address that answers a conversation, where it is not `/v1` and the route. */
  readonly address?: string;
  /** What the ids of its answers begin with, e.g. `chatcmpl-`. */
  readonly idPrefix: string;
  /** What OpenTelemetry's conventions call a question to a model by it; absent: `chat`. */
  readonly operation?: string;
  /** The API of a model server that says most of what this one can say; asked by it where the server keeps more apart there. */
  readonly nearest: OutboundName;
  /** The header that its clients always send: by it they are told apart on routes that several APIs have. */
  readonly versionHeader?: string;
  /** The header in which its clients look for a request's id, beside our own. */
  readonly requestIdHeader?: string;
  /** The header in which its clients name the conversation. */
  readonly conversationHeader?: string;
  /** By its headers: a client that fails on an event of a type that its API does not have. */
  knowsOwnEventsOnly?(headers: RequestHeaders): boolean;
  /** Throws what is wrong with the query of an address, before anything else is looked at. */
  checkQuery?(query: ListQuery): void;
  /** How its clients are told what their key has left. */
  rateLimitHeaders(limits: RateLimits): Readonly<Record<string, string>>;
  /** Its clients take a call only once it is whole: none goes out before its end. */
  readonly wholeCalls?: true;
  /** Its clients are told which tools of MCP servers ran, and may be asked first. */
  readonly reportsToolRuns?: true;
  /** Reads a parsed body into our neutral form. Hand-written checks, no cloning; throws a `Fault` with `param`. */
  parseRequest(body: JsonValue, limits: BodyLimits): Turn;
  /** A body with one empty message for its conversation, and nothing that refers to a stored one: its tools and settings are what is left. */
  withoutConversation(body: JsonObject): JsonObject;
  /** What a body says of its user; it is neither sent on nor stored. */
  userOf?(body: JsonObject): UserMember | undefined;
  /** Where the client put the message of this index in its body, for error messages: `messages[3]`, `input[5]`. */
  messagePath(turn: Turn, message: number): string;
  /** What a tool result names its call by: `tool_call_id`, `call_id`. */
  readonly callIdName: string;
  /** The media type of its streams; absent: that of event streams. */
  readonly streamType?: string;
  /** Answer events to text for the client, SSE frames included, in the one shape that every client accepts. */
  streamFrames(turn: Turn, head: ResponseHead): Stage<TurnEvent, string>;
  /** A whole answer as JSON. */
  wholeResponse(turn: Turn, head: ResponseHead, folded: Folded): JsonObject;
  /** An error in mid-stream: the frames that end the stream. `head` is the very object that `streamFrames` was given. */
  errorFrames(fault: Fault, head: ResponseHead): string;
  /** An error before anything has gone out; also one that comes before the body is read. */
  errorResponse(fault: Fault, requestId: string): ErrorResponse;
  /** What keeps a silent stream alive on every client: an empty delta of this API and a comment line. */
  heartbeat(head: ResponseHead): string;
  /** How a prompt's tokens are counted. Absent: this API has no such route. */
  readonly counting?: {
    parseRequest(body: JsonValue, limits: BodyLimits): Turn;
    response(inputTokens: number): JsonObject;
  };
  /** Models in this API's own form. Absent: in OpenAI's. */
  readonly modelList?: {
    /** Throws `invalid_parameter`. */
    list(models: readonly ListedModel[], query: ListQuery): JsonObject;
    one(model: ListedModel): JsonObject;
  };
  /** Absent: no answer goes through as it comes. */
  readonly passthrough?: Passthrough;
  /** Absent: nothing is stored of this API's answers. */
  readonly storedState?: StoredState;
}

/** How answers go through as a model server sent them, where it speaks this very API. */
export interface Passthrough {
  /** The API whose payloads these are. */
  readonly outbound: OutboundName;
  /** True for a turn whose answer need not be read. */
  applies(turn: Turn): boolean;
  /**
   * Payloads of the server's stream to frames for the client. `isCounted`: the server has told its token counts. Where the
   * client asked for them and it has not, the last frames are left to `usageAndDone`.
   */
  stream(turn: Turn, head: ResponseHead, isCounted: () => boolean): Stage<string, string>;
  /** The last frames of a stream whose server told no counts: ours. */
  usageAndDone(head: ResponseHead, usage: Usage): string;
  /** A whole reply as the client's. Throws the error that it carries. */
  whole(reply: JsonValue, head: ResponseHead): JsonObject;
}

/** An answer that was stored, and the conversation as it stood after it. */
export interface StoredResponse {
  readonly messages: readonly Message[];
  readonly response: JsonObject;
}

/** Finds a stored answer by its id; undefined: none of that id is stored for this key. */
export type FindResponse = (id: string) => Promise<StoredResponse | undefined>;

/** What an API stores of its answers, and how a request goes on from them. */
export interface StoredState {
  /** Puts stored items in the place of what refers to them, in the body itself. Throws `invalid_parameter` for one that is not there. */
  resolveReferences(body: JsonValue, limits: BodyLimits, find: FindResponse): Promise<void>;
  /** The id of the answer that a turn goes on from. */
  previousId(turn: Turn): string | undefined;
  /** A turn that goes on from a stored conversation. */
  continueFrom(turn: Turn, stored: readonly Message[]): Turn;
  /** What a stored answer was asked with, as a list. Throws `invalid_parameter`. */
  inputItems(stored: StoredResponse, query: ListQuery): JsonObject;
  /** True if the client allows that the answer is stored. */
  mayStore(turn: Turn): boolean;
  /** The conversation as it stands after an answer: what is stored. */
  conversationAfter(turn: Turn, folded: Folded): readonly Message[];
}
