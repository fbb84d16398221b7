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
  /** On a connection of its own, opened for it: for a second try after a reset. */
  readonly fresh?: boolean;
  /** Headers beside our own: from the allow-list only. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Receives a request's reply, like a `ReplyHandler`; `failed` gets a message for the client. */
export interface Receiver extends Omit<ReplyHandler, 'failed'> {
  failed(failure: SendFailure): void;
}

export type { RequestHandle as Sending } from './transport/transport.ts';

/** `queueMs`: how long a request may wait for a free connection. */
export interface UpstreamClientOptions {
  readonly queueMs?: number;
  readonly connect?: ConnectRule;
  readonly proxies?: OutgoingProxies;
}

/** Speaks to the model servers: one pool of connections each, no redirects, no address that the rules refuse. */
export class UpstreamClient {
  private readonly pools = new Map<string, UpstreamPool>();

  constructor(private readonly options: UpstreamClientOptions = {}) {}

  /** Waits for a free connection where all are in use. Throws `upstream_busy` after `queueMs`. Answers with the milliseconds waited. */
  admit(upstream: UpstreamEntry, signal: AbortReceiver): number | Promise<number> {
    return this.poolOf(upstream).semaphore.acquire(signal, () => busy(upstream));
  }

  /** Gives a permit back that `admit` gave and that nothing was sent with. */
  release(upstream: UpstreamEntry): void {
    this.poolOf(upstream).semaphore.release();
  }

  /** Sends at once; `admit` must have let it in, and is answered by itself when the reply is over. */
  send(upstream: UpstreamEntry, request: OutgoingRequest, receiver: Receiver): RequestHandle {
    const pool = this.poolOf(upstream);
    const { transport, semaphore, path, rootPath, query, proxy } = pool;
    const flight = new UpstreamCall(upstream, receiver, semaphore, proxy);
    flight.sending = transport.send(
      {
        path: (request.atRoot ? rootPath : path) + request.path + query,
        method: request.method ?? 'POST',
        headers: { ...ourHeaders(request), ...ownHeadersIn(pool, upstream) },
        ...(request.body !== undefined && { body: request.body }),
        ...(request.fresh && { fresh: true }),
      },
      flight,
    );
    return flight;
  }

  /** How many requests are on their way, and how many wait. */
  load(): { running: number; waiting: number } {
    const load = { running: 0, waiting: 0 };
    for (const { semaphore } of this.pools.values()) {
      load.running += semaphore.held;
      load.waiting += semaphore.waiting;
    }
    return load;
  }

  /** Ends what is still on its way. */
  close(): void {
    for (const { transport } of this.pools.values()) transport.destroy();
    this.pools.clear();
  }

  private poolOf(upstream: UpstreamEntry): UpstreamPool {
    const known = this.pools.get(upstream.id);
    if (known && samePool(known.entry, upstream)) return known;
    // Requests that are on their way keep the old pool until they are done.
    known?.transport.close();
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
      // uvicorn closes after 5 s of silence; a server that says otherwise is believed.
      keepAliveMs: 4000,
      connections: upstream.maxConnections,
      connect: this.options.connect?.(upstream) ?? {},
      ...(proxy && { proxy }),
    };
  }
}

/** An upstream that was spoken to. */
interface UpstreamPool {
  /** As it was last asked, with the headers of its own. */
  entry: UpstreamEntry;
  headers: Readonly<Record<string, string>>;
  readonly proxy: OutgoingProxy | undefined;
  /** Of the base URL, and of the server's root. */
  readonly path: string;
  readonly rootPath: string;
  /** With its question mark; goes along with every request. */
  readonly query: string;
  readonly transport: Transport;
  readonly semaphore: Semaphore;
}

/** What decides whether an address may be connected to, as options for the socket. */
export type ConnectRule = (upstream: UpstreamEntry) => object;

/** One request and its reply. */
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

/** Nothing of the client's but what the allow-list let through; what is the upstream's own comes over it. */
function ourHeaders({ headers, body }: OutgoingRequest): Record<string, string> {
  return { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }), 'user-agent': 'callsmith' };
}

/** Made once for each version of an upstream. */
function ownHeadersIn(pool: UpstreamPool, upstream: UpstreamEntry): Readonly<Record<string, string>> {
  if (pool.entry !== upstream) {
    pool.entry = upstream;
    pool.headers = ownHeaders(upstream);
  }
  return pool.headers;
}

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
