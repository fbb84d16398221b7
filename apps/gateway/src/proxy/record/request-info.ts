import { newTurnId } from '@callsmith/data/ids';
import type { KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import type { UserMember } from '@callsmith/protocols';
import type { FaultCode, JsonObject, Turn } from '@callsmith/turn';

/** Who asked, and for what. Written by `request/`, from the request's head to the moment when it is sent on. */
export class RequestInfo {
  /** UUIDv7: its time is the row's partition. */
  readonly id: string;
  readonly at = new Date();
  /** `performance.now()` when the request's head came. */
  readonly startedAt = performance.now();
  /** `performance.now()` when the request was whole; until then when its head came. */
  arrivedAt = this.startedAt;
  key: KeyEntry | undefined;
  /** The model name asked for. */
  requestedModel = '';
  model: ModelEntry | undefined;
  turn: Turn | undefined;
  streamed = false;
  /** What was asked for, where that is no turn: the body's members. */
  parameters: JsonObject | undefined;
  /** The id that the answer has in the client's API. */
  responseId: string | undefined;
  /** For the transcript; undefined where no bodies will be stored. */
  body: Uint8Array | undefined;
  /** The conversation's name, where the client gave one. */
  conversation: string | undefined;
  /** What the body says of its user; it is taken out of what is stored. */
  user: UserMember | undefined;
  /** The client's headers that say which trace it belongs to; they go along upstream. */
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
