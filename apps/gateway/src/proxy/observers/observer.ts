import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { Exchange } from '../exchange.ts';

/** What hears one attempt. Only what is there is called. */
export interface Ears {
  /** One event's payload, or a whole reply's text, as it came. */
  payload?(text: string): void;
  /** What the upstream said, before calls are understood. */
  heard?(event: UpstreamEvent): void;
  /** What was understood. */
  said?(event: TurnEvent): void;
}

/** Sees one request and never steers it: without observers the bytes are the same. */
export interface Observer {
  /** An attempt goes out; what it answers with hears that attempt. */
  attempt?(): Ears | undefined;
  /** All is over. */
  done?(): void;
}

/** Makes the observer of one request. */
export type Watch = (exchange: Exchange) => Observer;
