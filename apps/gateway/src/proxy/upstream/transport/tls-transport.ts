import type { OutgoingProxy } from '@callsmith/data/upstreams';
import { type buildConnector, Client, type Dispatcher, errors, Pool, ProxyAgent } from 'undici';
import {
  mostInterimReplies,
  notHttp,
  type ReplyHandler,
  type ReplyHeaders,
  type RequestHandle,
  type Transport,
  type TransportOptions,
  type TransportRequest,
} from './transport.ts';

/** HTTP client for `https:` and for proxies that use it, on undici. */
export class TlsTransport implements Transport {
  private readonly pool: Dispatcher;
  private readonly options: Omit<Client.Options, 'connect'> & { readonly connect: buildConnector.BuildOptions };
  private readonly proxy: OutgoingProxy | undefined;

  /** `origin`: scheme, host and port. */
  constructor(
    private readonly origin: string,
    { connections, connect, connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs, keepAliveMs, proxy }: TransportOptions,
  ) {
    this.options = {
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: firstByteTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      connect: { timeout: connectTimeoutMs, ...connect },
    };
    this.proxy = proxy;
    this.pool = this.proxyAgent(connections) ?? new Pool(origin, { ...this.options, connections });
  }

  send({ fresh, body, ...request }: TransportRequest, handler: ReplyHandler): RequestHandle {
    const dispatcher = fresh ? (this.proxyAgent(1) ?? new Client(this.origin, this.options)) : this.pool;
    const call = new TlsRequest(handler, this.options.headersTimeout);
    const method = request.method as Dispatcher.HttpMethod;
    dispatcher.dispatch({ ...request, origin: this.origin, method, body: body ?? null }, call);
    if (fresh) void dispatcher.close();
    return call;
  }

  /** A dispatcher that tunnels through the proxy; undefined without a proxy. */
  private proxyAgent(connections: number): ProxyAgent | undefined {
    if (!this.proxy) return undefined;
    const { origin: uri, authorization } = this.proxy;
    const { connect, ...options } = this.options;
    return new ProxyAgent({
      ...options,
      connections,
      uri,
      ...(authorization !== undefined && { token: authorization }),
      proxyTls: connect,
      requestTls: connect,
    });
  }

  close(): void {
    void this.pool.close();
  }

  destroy(): void {
    void this.pool.destroy();
  }
}

/** A request in flight, with the callbacks of undici. */
class TlsRequest implements Dispatcher.DispatchHandler, RequestHandle {
  private controller: Dispatcher.DispatchController | undefined;
  private aborted = false;
  /** A flush is scheduled. */
  private flushing = false;
  private over = false;
  private interim = 0;

  /** The timeout for the response's head. Needed because undici restarts its own with each interim response (D-39). */
  private headTimeout: NodeJS.Timeout | undefined;

  constructor(
    private readonly handler: ReplyHandler,
    private readonly firstByteTimeoutMs: number | null | undefined,
  ) {}

  abort(): void {
    this.aborted = true;
    this.controller?.abort(unwanted);
  }

  pause(): void {
    this.controller?.pause();
  }

  resume(): void {
    this.controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.aborted) controller.abort(unwanted);
    else if (this.firstByteTimeoutMs)
      this.headTimeout = setTimeout(() => controller.abort(new errors.HeadersTimeoutError()), this.firstByteTimeoutMs);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ReplyHeaders): void {
    if (status < 200) {
      if (++this.interim > mostInterimReplies) controller.abort(notHttp('interim replies without an end'));
      return;
    }
    clearTimeout(this.headTimeout);
    this.handler.started(status, headers);
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    this.handler.data(bytes);
    if (this.flushing) return;
    this.flushing = true;
    process.nextTick(this.flush);
  }

  onResponseEnd(): void {
    this.over = true;
    this.handler.ended();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.headTimeout);
    this.over = true;
    this.handler.failed(error);
  }

  private readonly flush = (): void => {
    this.flushing = false;
    if (!this.over) this.handler.flush();
  };
}

const unwanted = new Error('No longer wanted.');
