import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { UpstreamRequest } from '../record/attempt-log.ts';
import type { RequestRecord } from '../record/request-record.ts';

/** Called with the events of one attempt. All members are optional. */
export interface AttemptListeners {
  /** One event's payload, or a whole reply's text, as it came. */
  payload?(text: string): void;
  /** What the upstream said, before calls are understood. */
  upstreamEvent?(event: UpstreamEvent): void;
  /** What was understood. */
  turnEvent?(event: TurnEvent): void;
}

/** Sees one request and never steers it: without observers the bytes are the same, but for the headers of a trace. */
export interface Observer {
  /** An attempt is about to be sent; the result listens to it. */
  attempt?(): AttemptListeners | undefined;
  /** A request goes to a model server, one of a correction or a delegation too; the headers that go with it say which trace it belongs to. */
  upstreamRequest?(request: UpstreamRequest): Readonly<Record<string, string>> | undefined;
  /** All is over. */
  done?(): void;
}

/** Makes the observer of one request. */
export type ObserverFactory = (record: RequestRecord) => Observer;
