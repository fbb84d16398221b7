import { Client, type Dispatcher, Pool } from 'undici';
import type {
  ReplyHandler,
  ReplyHeaders,
  RequestHandle,
  Transport,
  TransportOptions,
  TransportRequest,
} from './transport.ts';

/** For `https:`, where the price of TLS and its many ways are undici's. */
export class TlsTransport implements Transport {
  private readonly pool: Pool;
  private readonly options: Client.Options;

  /** `origin`: scheme, host and port. */
  constructor(
    private readonly origin: string,
    { connections, connect, connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs, keepAliveMs }: TransportOptions,
  ) {
    this.options = {
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: firstByteTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      connect: { timeout: connectTimeoutMs, ...connect },
    };
    this.pool = new Pool(origin, { ...this.options, connections });
  }

  send({ fresh, body, ...request }: TransportRequest, handler: ReplyHandler): RequestHandle {
    const dispatcher = fresh ? new Client(this.origin, this.options) : this.pool;
    const flight = new TlsRequest(handler);
    dispatcher.dispatch({ ...request, method: request.method as Dispatcher.HttpMethod, body: body ?? null }, flight);
    if (fresh) void dispatcher.close();
    return flight;
  }

  close(): void {
    void this.pool.close();
  }

  destroy(): void {
    void this.pool.destroy();
  }
}

/** One request and its reply, called by undici. */
class TlsRequest implements Dispatcher.DispatchHandler, RequestHandle {
  private controller: Dispatcher.DispatchController | undefined;
  private aborted = false;
  /** A flush is due. */
  private flushing = false;
  private over = false;

  constructor(private readonly handler: ReplyHandler) {}

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
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ReplyHeaders): void {
    if (status >= 200) this.handler.started(status, headers);
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
    this.over = true;
    this.handler.failed(error);
  }

  private readonly flush = (): void => {
    this.flushing = false;
    if (!this.over) this.handler.flush();
  };
}

const unwanted = new Error('No longer wanted.');
