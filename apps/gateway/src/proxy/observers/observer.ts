import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { UpstreamRequest } from '../record/attempt-log.ts';
import type { RequestRecord } from '../record/request-record.ts';

/** Called with the events of one attempt. All members are optional. */
export interface AttemptListeners {
  /** The payload of one event of the stream, or the text of a whole response, unchanged. */
  payload?(text: string): void;
  /** An event of the upstream, before calls are parsed. */
  upstreamEvent?(event: UpstreamEvent): void;
  /** An event for the client, after calls were parsed. */
  turnEvent?(event: TurnEvent): void;
}

/** Observes one request and never changes it: only the trace headers of upstream requests come from observers. */
export interface Observer {
  /** An attempt is about to be sent. The result gets its events. */
  attempt?(): AttemptListeners | undefined;
  /**
   * An upstream request is about to be sent, one of a correction or delegation included. Returns the trace headers to
   * send with it.
   */
  upstreamRequest?(request: UpstreamRequest): Readonly<Record<string, string>> | undefined;
  /** The request has ended. */
  done?(): void;
}

/** Makes the observer of one request. */
export type ObserverFactory = (record: RequestRecord) => Observer;
