import type { Stage } from '@callsmith/stream';
import type { Fault, JsonObject, JsonValue, Turn, UpstreamEvent, UpstreamKind } from '@callsmith/turn';

/** Which server a turn goes to, and as what. */
export interface Target {
  /** The upstream's name, for messages. */
  readonly upstream: string;
  readonly kind: UpstreamKind;
  /** The model's name on that server. */
  readonly model: string;
  /** Tokens of the model's context, where an admin declared them. */
  readonly contextTokens?: number;
  /** Past reasoning goes back also where its kind of server does not take it by itself. */
  readonly keepsReasoning?: boolean;
  /** Parameters that this upstream was seen to refuse (learnt from its 400s). */
  readonly refusedParameters?: readonly string[];
}

/** A request as it goes upstream. */
export interface UpstreamRequest {
  /** Appended to the base URL, e.g. `/chat/completions`. */
  readonly path: string;
  /** The path stands under the server's root, not under its base URL. */
  readonly atRoot?: true;
  readonly body: JsonObject;
  /** Parameters that this kind of upstream does not take and that were left out; told to the client in a header. */
  readonly dropped: readonly string[];
}

/** What we call the APIs that we use on model servers. */
export type OutboundName = 'openai-chat' | 'openai-responses' | 'ollama-chat';

/** An API that we use on model servers. */
export interface OutboundAdapter {
  /** How a stream is cut into payloads: events, or lines of JSON. */
  readonly framing: 'events' | 'lines';
  /** It takes images by their data alone, and loads no address. */
  readonly dataImagesOnly?: true;
  request(turn: Turn, target: Target): UpstreamRequest;
  /** Members that hold the model's answer, as chat completions has them, in this API's words. Absent: they are the same. */
  readonly constraintMembers?: (members: JsonObject) => JsonObject;
  /** One payload in, what it says out. `[DONE]` and a clean end without a finish are both clean (D-8). */
  events(): Stage<string, UpstreamEvent>;
  /** A non-streamed reply as the events it would have been. Throws `upstream_invalid_answer`. */
  toEvents(whole: JsonValue): UpstreamEvent[];
  /** An error reply as a fault in OpenAI's format: wording and `context_length_exceeded` kept, vLLM's top-level body wrapped, HTML told as such. */
  toFault(
    reply: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string },
    target: Target,
  ): Fault;
}
