import type { OutgoingProxy } from '@callsmith/data/upstreams';

/** A request as it goes over the wire. */
export interface TransportRequest {
  readonly method: string;
  /** Beginning with a slash. */
  readonly path: string;
  /** All but those of the connection and of the body's length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** On a connection of its own, opened for it. */
  readonly fresh?: boolean;
}

/** A reply's headers: names in lower case, several of one name as a list. */
export type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Receives a reply, in this order: `started` once, `data` any number of times, then `ended` or `failed`. `flush`
 * comes behind all the data that one read of the socket brought, unless the reply has ended with it.
 */
export interface ReplyHandler {
  started(status: number, headers: ReplyHeaders): void;
  /** The bytes are lent: what is to be kept beyond this call is copied. */
  data(bytes: Uint8Array): void;
  flush(): void;
  ended(): void;
  /** With an error of undici's or the system's. */
  failed(error: Error): void;
}

/** A request on its way. */
export interface RequestHandle {
  abort(): void;
  /** Stops reading; what one read has brought may still come. */
  pause(): void;
  resume(): void;
}

/** Connections to one server. */
export interface Transport {
  /** Sends at once. What goes wrong, now or later, comes to the handler. */
  send(request: TransportRequest, handler: ReplyHandler): RequestHandle;
  /** Lets what is on its way finish, and closes. */
  close(): void;
  /** Closes at once. */
  destroy(): void;
}

/** Times in milliseconds, and options for the socket. */
export interface TransportOptions {
  readonly connectTimeoutMs: number;
  /** Until the reply's head. */
  readonly firstByteTimeoutMs: number;
  /** Between two reads of its body. */
  readonly idleTimeoutMs: number;
  /** How long a connection without a request is kept, unless the server says otherwise. */
  readonly keepAliveMs: number;
  readonly connections: number;
  readonly connect: object;
  /** Through which to ask; absent: directly. */
  readonly proxy?: OutgoingProxy;
}

/** How many interim replies (RFC 9110, 15.2) may come before a reply: a server that is at work says so once a second. */
export const mostInterimReplies = 1000;

/** With a code as those of llhttp, which undici's errors carry. */
class NotHttp extends Error {
  override readonly name = 'NotHttp';
  readonly code = 'HPE_INVALID';
}

/** The error for what is no reply of HTTP/1.1. */
export const notHttp = (what: string): Error => new NotHttp(`The reply is not HTTP/1.1: ${what}.`);
