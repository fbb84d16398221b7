import type { UpstreamEntry } from '@callsmith/data';
import { Fault } from '@callsmith/turn';
import { Client, type Dispatcher, Pool } from 'undici';
import { type SendFailure, sendFailure } from './send-failure.ts';
import { Turnstile } from './turnstile.ts';

/** A request to a model server. */
export interface Outgoing {
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

/** What a request's reply is told to, in this order: `started` once, `data` any number of times, then `ended` or `failed`. */
export interface Receiver {
  started(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void;
  data(bytes: Uint8Array): void;
  ended(): void;
  failed(failure: SendFailure): void;
}

/** A request on its way. After `abort` its receiver hears nothing more. */
export interface Sending {
  abort(): void;
  pause(): void;
  resume(): void;
}

/** Speaks to the model servers: one pool of connections each, no redirects, no address that the rules refuse. */
export class UpstreamClient {
  private readonly pools = new Map<string, Opened>();

  constructor(private readonly options: { readonly queueMs?: number; readonly connect?: ConnectRule } = {}) {}

  /** Waits for a free connection where all are in use. Throws `upstream_busy` after `queueMs`. Answers with the milliseconds waited. */
  admit(upstream: UpstreamEntry, signal: AbortSignal): number | Promise<number> {
    return this.poolOf(upstream).gate.enter(signal, () => busy(upstream));
  }

  /** Gives a place back that `admit` gave and that nothing was sent with. */
  giveBack(upstream: UpstreamEntry): void {
    this.poolOf(upstream).gate.leave();
  }

  /** Sends at once; `admit` must have let it in, and is answered by itself when the reply is over. */
  send(upstream: UpstreamEntry, request: Outgoing, receiver: Receiver): Sending {
    const { pool, gate, path, rootPath } = this.poolOf(upstream);
    const dispatcher = request.fresh ? new Client(new URL(upstream.baseUrl).origin, this.connection(upstream)) : pool;
    const flight = new Flight(upstream, receiver, () => {
      gate.leave();
      if (request.fresh) void dispatcher.close();
    });
    dispatcher.dispatch(
      {
        path: (request.atRoot ? rootPath : path) + request.path,
        method: request.method ?? 'POST',
        headers: headersOf(upstream, request),
        body: request.body ?? null,
      },
      flight,
    );
    return flight;
  }

  /** How many requests are on their way, and how many wait. */
  load(): { running: number; waiting: number } {
    const load = { running: 0, waiting: 0 };
    for (const { gate } of this.pools.values()) {
      load.running += gate.inside;
      load.waiting += gate.waiting;
    }
    return load;
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map(({ pool }) => pool.destroy()));
    this.pools.clear();
  }

  private poolOf(upstream: UpstreamEntry): Opened {
    const known = this.pools.get(upstream.id);
    if (known && samePool(known.entry, upstream)) return known;
    // Requests that are on their way keep the old pool until they are done.
    if (known) void known.pool.close();
    const { origin, pathname } = new URL(upstream.baseUrl);
    const path = pathname.replace(/\/+$/, '');
    const made = {
      entry: upstream,
      path,
      rootPath: path.replace(/\/v1$/, ''),
      pool: new Pool(origin, {
        ...this.connection(upstream),
        connections: upstream.maxConnections,
      }),
      gate: new Turnstile(upstream.maxConnections, this.options.queueMs ?? 10_000),
    };
    this.pools.set(upstream.id, made);
    return made;
  }

  private connection(upstream: UpstreamEntry): Client.Options {
    return {
      pipelining: 1,
      // uvicorn closes after 5 s of silence; a server that says otherwise is believed.
      keepAliveTimeout: 4000,
      headersTimeout: upstream.firstByteTimeoutMs,
      bodyTimeout: upstream.idleTimeoutMs,
      connect: { timeout: upstream.connectTimeoutMs, ...this.options.connect?.(upstream) },
    };
  }
}

/** An upstream that was spoken to. */
interface Opened {
  readonly entry: UpstreamEntry;
  /** Of the base URL, and of the server's root. */
  readonly path: string;
  readonly rootPath: string;
  readonly pool: Pool;
  readonly gate: Turnstile;
}

/** What decides whether an address may be connected to, as options for the socket. */
export type ConnectRule = (upstream: UpstreamEntry) => object;

/** One request and its reply, called by undici. */
class Flight implements Dispatcher.DispatchHandler, Sending {
  private controller: Dispatcher.DispatchController | undefined;
  private over = false;
  private answered = false;

  constructor(
    private readonly upstream: UpstreamEntry,
    private readonly receiver: Receiver,
    private readonly release: () => void,
  ) {}

  abort(): void {
    if (this.over) return;
    this.finish();
    this.controller?.abort(aborted);
  }

  pause(): void {
    if (!this.over) this.controller?.pause();
  }

  resume(): void {
    if (!this.over) this.controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.over) controller.abort(aborted);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (this.over || status < 200) return;
    this.answered = true;
    this.receiver.started(status, headers);
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    if (!this.over) this.receiver.data(bytes);
  }

  onResponseEnd(): void {
    if (this.over) return;
    this.finish();
    this.receiver.ended();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.over) return;
    this.finish();
    this.receiver.failed(sendFailure(error, this.upstream, this.answered));
  }

  private finish(): void {
    this.over = true;
    this.release();
  }
}

const aborted = new Error('No longer wanted.');

/** All headers that go upstream: nothing of the client's but what the allow-list let through. */
function headersOf(upstream: UpstreamEntry, request: Outgoing): Record<string, string> {
  return {
    ...request.headers,
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    'user-agent': 'callsmith',
    ...(upstream.credential !== undefined && { authorization: `Bearer ${upstream.credential}` }),
  };
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
    `All ${upstream.maxConnections} connections to ${upstream.name} are in use. Try again, or raise its maximum.`,
    { headers: { 'retry-after': '1' } },
  );
