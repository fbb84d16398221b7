import type { Stage } from '@callsmith/stream';
import type { Fault, JsonObject, JsonValue, Turn, UpstreamEvent, UpstreamKind } from '@callsmith/turn';

/** The target server and model of a turn. */
export interface Target {
  /** The upstream's name, for messages. */
  readonly upstream: string;
  readonly kind: UpstreamKind;
  /** The model's name on that server. */
  readonly model: string;
  /** Tokens of the model's context, if an admin declared them. */
  readonly contextTokens?: number;
  /** Past reasoning is sent back also to servers whose kind does not accept it by default. */
  readonly keepsReasoning?: boolean;
  /** Parameters that this upstream was seen to refuse (learned from its 400s). */
  readonly refusedParameters?: readonly string[];
}

/** A prepared upstream request. */
export interface UpstreamRequest {
  /** Appended to the base URL, e.g. `/chat/completions`. */
  readonly path: string;
  /** The path is under the server's root, not under its base URL. */
  readonly atRoot?: true;
  readonly body: JsonObject;
  /**
   * Parameters that this kind of upstream does not accept and that were left out; reported to the client in a header.
   */
  readonly dropped: readonly string[];
}

/** The names of the model server APIs. */
export type OutboundName = 'openai-chat' | 'openai-responses' | 'ollama-chat';

/** An API of model servers. */
export interface OutboundAdapter {
  /** How a stream is split into payloads: events, or lines of JSON. */
  readonly framing: 'events' | 'lines';
  /** It accepts images only as data, and loads no URL. */
  readonly dataImagesOnly?: true;
  request(turn: Turn, target: Target): UpstreamRequest;
  /**
   * Members that constrain the model's output, from chat completions to this API's names. Undefined: they are the same.
   */
  readonly constraintMembers?: (members: JsonObject) => JsonObject;
  /** Converts a payload to its events. `[DONE]` and a clean end without a finish are both clean (D-8). */
  events(): Stage<string, UpstreamEvent>;
  /** A non-streamed response as the events it would have been. Throws `upstream_invalid_answer`. */
  toEvents(whole: JsonValue): UpstreamEvent[];
  /**
   * An error response as a fault in OpenAI's format: message and `context_length_exceeded` kept, vLLM's top-level body
   * wrapped, HTML reported as such.
   */
  toFault(
    reply: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string },
    target: Target,
  ): Fault;
}
