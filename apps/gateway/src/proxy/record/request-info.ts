import { newTurnId } from '@callsmith/data/ids';
import type { KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import type { UserMember } from '@callsmith/protocols';
import type { FaultCode, JsonObject, Turn } from '@callsmith/turn';

/** The request and its sender. Written by `request/`, from its head until it is passed to the attempts. */
export class RequestInfo {
  /** UUIDv7: its time is the row's partition. */
  readonly id: string;
  readonly at = new Date();
  /** `performance.now()` when the request's head arrived. */
  readonly startedAt = performance.now();
  /** `performance.now()` when the request was complete; until then, when its head arrived. */
  arrivedAt = this.startedAt;
  key: KeyEntry | undefined;
  /** The requested model name. */
  requestedModel = '';
  model: ModelEntry | undefined;
  turn: Turn | undefined;
  streamed = false;
  /** The members of a body that is no turn, such as an embeddings request. */
  parameters: JsonObject | undefined;
  /** The response's id in the client's API. */
  responseId: string | undefined;
  /** The body, for the transcript; undefined if bodies are not stored. */
  body: Buffer | undefined;
  /** The client's id of the conversation, if it sent one. */
  conversation: string | undefined;
  /** The member of the body that identifies the user; it is removed from what is stored. */
  user: UserMember | undefined;
  /** The client's trace headers, which are forwarded to the upstream. */
  traceHeaders: Readonly<Record<string, string>> = {};
  /** Why the model got a message to stop calling. */
  nudge: FaultCode | undefined;

  constructor(
    readonly requestId: string,
    /** The route's pattern. */
    readonly path: string,
    /** Which client, from a closed table. */
    readonly client: string,
  ) {
    this.id = newTurnId(this.at);
  }
}
