import type { UpstreamEntry } from '@callsmith/data/snapshot';
import { type OutgoingProxies, type OutgoingProxy, ownHeaders, proxyFor } from '@callsmith/data/upstreams';
import { Fault } from '@callsmith/turn';
import type { AbortReceiver } from '../record/abort-source.ts';
import { Semaphore } from './semaphore.ts';
import { CompressedReply, ProxyRefusal, type SendFailure, sendFailure } from './send-failure.ts';
import { PlainTransport } from './transport/plain-transport.ts';
import { TlsTransport } from './transport/tls-transport.ts';
import type { ReplyHandler, ReplyHeaders, RequestHandle, Transport, TransportOptions } from './transport/transport.ts';

/** A request to a model server. */
export interface OutgoingRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Appended to the base URL. */
  readonly path: string;
  /** Appended to the server's root instead: the base URL without `/v1`. */
  readonly atRoot?: boolean;
  readonly body?: string | Uint8Array;
  /** Sends it on a new connection: for a retry after a reset. */
  readonly fresh?: boolean;
  /** Client headers to forward, from the allow-list only. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Receives a request's reply, like a `ReplyHandler`; `failed` gets a message for the client. */
export interface Receiver extends Omit<ReplyHandler, 'failed'> {
  failed(failure: SendFailure): void;
}

export type { RequestHandle } from './transport/transport.ts';

/** Options of an `UpstreamClient`. */
export interface UpstreamClientOptions {
  /** How long a request may wait for a free connection, in milliseconds. */
  readonly queueMs?: number;
  readonly connect?: ConnectRule;
  readonly proxies?: OutgoingProxies;
}

/**
 * Sends requests to model servers: one pool of connections for each, no redirects, and only addresses that the connect
 * rule allows.
 */
export class UpstreamClient {
  private readonly pools = new Map<string, UpstreamPool>();

  constructor(private readonly options: UpstreamClientOptions = {}) {}

  /**
   * Takes a permit for one request, which waits while all connections are in use. Returns the milliseconds waited.
   * Rejects with `upstream_busy` after `queueMs`, or with the signal's reason.
   */
  admit(upstream: UpstreamEntry, signal: AbortReceiver): number | Promise<number> {
    return this.poolOf(upstream).semaphore.acquire(signal, () => busy(upstream));
  }

  /** Gives back a permit of `admit` with which nothing was sent. */
  release(upstream: UpstreamEntry): void {
    this.poolOf(upstream).semaphore.release();
  }

  /**
   * Sends a request immediately. The caller must have a permit of `admit`; it is given back when the response is over.
   */
  send(upstream: UpstreamEntry, request: OutgoingRequest, receiver: Receiver): RequestHandle {
    const pool = this.poolOf(upstream);
    const { transport, semaphore, path, rootPath, query, proxy } = pool;
    const call = new UpstreamCall(upstream, receiver, semaphore, proxy);
    call.sending = transport.send(
      {
        path: (request.atRoot ? rootPath : path) + request.path + query,
        method: request.method ?? 'POST',
        headers: { ...ourHeaders(request), ...ownHeadersIn(pool, upstream) },
        ...(request.body !== undefined && { body: request.body }),
        ...(request.fresh && { fresh: true }),
      },
      call,
    );
    return call;
  }

  /** How many requests are in flight, and how many wait for a connection. */
  load(): { running: number; waiting: number } {
    const load = { running: 0, waiting: 0 };
    for (const { semaphore } of this.pools.values()) {
      load.running += semaphore.held;
      load.waiting += semaphore.waiting;
    }
    return load;
  }

  /** Ends all requests in flight. */
  close(): void {
    for (const { transport } of this.pools.values()) transport.destroy();
    this.pools.clear();
  }

  private poolOf(upstream: UpstreamEntry): UpstreamPool {
    const existing = this.pools.get(upstream.id);
    if (existing && samePool(existing.entry, upstream)) return existing;
    // Requests in flight keep the old pool until they are done.
    existing?.transport.close();
    const { origin, pathname, protocol, search } = new URL(upstream.baseUrl);
    const path = pathname.replace(/\/+$/, '');
    const proxy = upstream.direct ? undefined : proxyFor(this.options.proxies, upstream.baseUrl);
    const plain = protocol === 'http:' && (proxy === undefined || proxy.origin.startsWith('http:'));
    const made = {
      entry: upstream,
      headers: ownHeaders(upstream),
      proxy,
      query: search,
      path,
      rootPath: path.replace(/\/v1$/, ''),
      transport: new (plain ? PlainTransport : TlsTransport)(origin, this.transportOptions(upstream, proxy)),
      semaphore: new Semaphore(upstream.maxConnections, this.options.queueMs ?? 10_000),
    };
    this.pools.set(upstream.id, made);
    return made;
  }

  private transportOptions(upstream: UpstreamEntry, proxy: OutgoingProxy | undefined): TransportOptions {
    return {
      connectTimeoutMs: upstream.connectTimeoutMs,
      firstByteTimeoutMs: upstream.firstByteTimeoutMs,
      idleTimeoutMs: upstream.idleTimeoutMs,
      // uvicorn closes idle connections after 5 s. A server's own keep-alive header takes precedence.
      keepAliveMs: 4000,
      connections: upstream.maxConnections,
      connect: this.options.connect?.(upstream) ?? {},
      ...(proxy && { proxy }),
    };
  }
}

/** The connections to one upstream, and what its requests have in common. */
interface UpstreamPool {
  /** The version of the upstream that `headers` were made for. */
  entry: UpstreamEntry;
  headers: Readonly<Record<string, string>>;
  readonly proxy: OutgoingProxy | undefined;
  /** The base URL's path, and the path of the server's root. */
  readonly path: string;
  readonly rootPath: string;
  /** The base URL's query with its question mark; appended to every path. */
  readonly query: string;
  readonly transport: Transport;
  readonly semaphore: Semaphore;
}

/** Decides whether an upstream may be connected to. Returns options for the socket; throws a `Fault` if not. */
export type ConnectRule = (upstream: UpstreamEntry) => object;

/** A request in flight. Gives its permit back once, and passes nothing on after the end. */
class UpstreamCall implements ReplyHandler, RequestHandle {
  sending: RequestHandle | undefined;
  private over = false;
  private answered = false;

  constructor(
    private readonly upstream: UpstreamEntry,
    private readonly receiver: Receiver,
    private readonly semaphore: Semaphore,
    private readonly proxy: OutgoingProxy | undefined,
  ) {}

  abort(): void {
    if (this.over) return;
    this.finish();
    this.sending?.abort();
  }

  pause(): void {
    if (!this.over) this.sending?.pause();
  }

  resume(): void {
    if (!this.over) this.sending?.resume();
  }

  started(status: number, headers: ReplyHeaders): void {
    if (this.over) return;
    if (status === 407 && this.proxy) {
      this.sending?.abort();
      this.failed(new ProxyRefusal(status));
      return;
    }
    const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
    if (encoding !== 'identity') {
      this.sending?.abort();
      this.failed(new CompressedReply(encoding));
      return;
    }
    this.answered = true;
    this.receiver.started(status, headers);
  }

  data(bytes: Uint8Array): void {
    if (!this.over) this.receiver.data(bytes);
  }

  flush(): void {
    if (!this.over) this.receiver.flush();
  }

  ended(): void {
    if (this.over) return;
    this.finish();
    this.receiver.ended();
  }

  failed(error: Error): void {
    if (this.over) return;
    this.finish();
    this.receiver.failed(sendFailure(error, this.upstream, { answered: this.answered, proxy: this.proxy?.origin }));
  }

  private finish(): void {
    this.over = true;
    this.semaphore.release();
  }
}

/**
 * The headers that do not depend on the upstream; the upstream's own replace them. Of the client's only the forwarded
 * ones.
 */
function ourHeaders({ headers, body }: OutgoingRequest): Record<string, string> {
  return { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }), 'user-agent': 'callsmith' };
}

/** The upstream's own headers, made once for each version of it. */
function ownHeadersIn(pool: UpstreamPool, upstream: UpstreamEntry): Readonly<Record<string, string>> {
  if (pool.entry !== upstream) {
    pool.entry = upstream;
    pool.headers = ownHeaders(upstream);
  }
  return pool.headers;
}

/** True if two versions of an upstream can use the same connections. */
const samePool = (a: UpstreamEntry, b: UpstreamEntry): boolean =>
  a === b ||
  (a.baseUrl === b.baseUrl &&
    a.maxConnections === b.maxConnections &&
    a.connectTimeoutMs === b.connectTimeoutMs &&
    a.firstByteTimeoutMs === b.firstByteTimeoutMs &&
    a.idleTimeoutMs === b.idleTimeoutMs);

const busy = (upstream: UpstreamEntry): Fault =>
  new Fault(
    'upstream_busy',
    `All ${upstream.maxConnections} connections to ${upstream.name} are in use. Try again, or raise its maximum of connections.`,
    { headers: { 'retry-after': '1' } },
  );
