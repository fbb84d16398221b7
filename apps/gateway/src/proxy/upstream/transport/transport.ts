import type { OutgoingProxy } from '@callsmith/data/upstreams';

/** A request as it is sent to a server. */
export interface TransportRequest {
  readonly method: string;
  /** Beginning with a slash. */
  readonly path: string;
  /** All headers except those about the connection and the body's length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sends it on a new connection. */
  readonly fresh?: boolean;
}

/** A response's headers: names in lower case, several of one name as a list. */
export type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Receives a response: `started` once, `data` any number of times, then `ended` or `failed`. `flush` follows the data
 * that one read of the socket brought, unless the response has ended with it.
 */
export interface ReplyHandler {
  started(status: number, headers: ReplyHeaders): void;
  /** The bytes are valid only during the call: copy what is kept. */
  data(bytes: Uint8Array): void;
  flush(): void;
  ended(): void;
  /** With an error of undici or of the system. */
  failed(error: Error): void;
}

/** A request in flight. */
export interface RequestHandle {
  abort(): void;
  /** Stops reading. Data of a read that has already happened may still come. */
  pause(): void;
  resume(): void;
}

/** Connections to one server. */
export interface Transport {
  /** Sends a request immediately. All errors, also immediate ones, go to the handler. */
  send(request: TransportRequest, handler: ReplyHandler): RequestHandle;
  /** Closes when the requests in flight are done. */
  close(): void;
  /** Closes immediately; requests in flight fail. */
  destroy(): void;
}

/** Timeouts in milliseconds, and options for the socket. */
export interface TransportOptions {
  readonly connectTimeoutMs: number;
  /** From sending until the response's head. */
  readonly firstByteTimeoutMs: number;
  /** Between two reads of the body. */
  readonly idleTimeoutMs: number;
  /** How long a connection without a request is kept, unless the server says otherwise. */
  readonly keepAliveMs: number;
  readonly connections: number;
  readonly connect: object;
  /** The outgoing proxy; absent: requests go directly to the server. */
  readonly proxy?: OutgoingProxy;
}

/**
 * How many interim responses (RFC 9110, 15.2) may precede a response; some servers send one per second while they work.
 */
export const mostInterimReplies = 1000;

/** Has a code like llhttp's, which undici's errors have as well. */
class NotHttp extends Error {
  override readonly name = 'NotHttp';
  readonly code = 'HPE_INVALID';
}

/** The error for a response that is not HTTP/1.1; `what` describes what is wrong. */
export const notHttp = (what: string): Error => new NotHttp(`The reply is not HTTP/1.1: ${what}.`);
