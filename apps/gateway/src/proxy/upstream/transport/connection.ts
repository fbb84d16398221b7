import { connect, type Socket } from 'node:net';
import { errors } from 'undici';
import { ResponseParser } from './response-parser.ts';
import type { ReplyHandler, ReplyHeaders, RequestHandle, TransportOptions } from './transport.ts';

/** Where a connection goes, and callbacks for its state. */
export interface ConnectionRules {
  readonly host: string;
  readonly port: number;
  readonly options: TransportOptions;
  /** The connection is idle and can take the next request. */
  readonly idle: (connection: Connection) => void;
  readonly closed: (connection: Connection) => void;
}

/**
 * The buffer that all sockets read into: the data of a read is processed before the next read of any socket. It is as
 * large as what libuv reads in one piece.
 */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** One socket to a server, for one request after the other. */
export class Connection {
  /** Milliseconds without a read, as far as `tick` has counted. */
  private quietMs = 0;
  /** Milliseconds since the request was sent, as far as `tick` has counted, until the reply's head has come. */
  private waitedMs = 0;
  /** The request was paused by its caller. */
  private isPaused = false;
  private readonly socket: Socket;
  private readonly parser = new ResponseParser(this);
  private request: PlainRequest | undefined;
  private answered = false;
  private over = false;

  constructor(private readonly rules: ConnectionRules) {
    const { host, port, options } = rules;
    this.socket = connect({
      ...options.connect,
      host,
      port,
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          this.read(length);
          return true;
        },
      },
    });
    this.socket
      .on('end', () => this.ended())
      .on('error', (error) => this.fail(error))
      .on('close', () => this.ended());
  }

  /** Whether a request can be sent: the connection is idle, and the server has not closed it. */
  get usable(): boolean {
    return !this.over && this.request === undefined && !this.socket.destroyed && this.socket.readable;
  }

  /** Sends a complete request. `head`: everything up to the empty line, in latin1. `bytes`: the body's length. */
  send(
    head: string,
    { text, bytes }: { readonly text: string | Uint8Array; readonly bytes: number },
    handler: ReplyHandler,
  ): RequestHandle {
    const { socket } = this;
    const request = new PlainRequest(this, handler);
    this.request = request;
    this.answered = false;
    this.isPaused = false;
    this.quietMs = 0;
    this.waitedMs = 0;
    this.parser.begin();
    if (typeof text === 'string' && bytes === text.length) socket.write(head + text, 'latin1');
    else {
      socket.cork();
      socket.write(head, 'latin1');
      if (bytes > 0) socket.write(text);
      socket.uncork();
    }
    return request;
  }

  /** Counts `ms` milliseconds, and fails or closes the connection when a timeout is reached. */
  tick(ms: number): void {
    const { options } = this.rules;
    if (this.request !== undefined && this.socket.isPaused()) return;
    this.quietMs += ms;
    if (this.socket.connecting) {
      if (this.quietMs > options.connectTimeoutMs) this.fail(new errors.ConnectTimeoutError());
    } else if (this.request === undefined) {
      if (this.quietMs + ms > this.keepAliveMs) this.close();
    } else if (!this.answered) {
      // Bytes that do not complete the head, such as interim responses, do not restart the time (D-39).
      this.waitedMs += ms;
      if (this.waitedMs > options.firstByteTimeoutMs) this.fail(new errors.HeadersTimeoutError());
    } else if (this.quietMs > options.idleTimeoutMs) this.fail(new errors.BodyTimeoutError());
  }

  /** Closes the connection, without a callback to its request. */
  close(): void {
    this.over = true;
    this.request = undefined;
    this.socket.destroy();
    this.rules.closed(this);
  }

  /** Ends a request by closing its connection; nothing if the connection serves another request by now. */
  abort(request: PlainRequest): void {
    if (this.request === request) this.close();
  }

  pause(request: PlainRequest): void {
    if (this.request !== request) return;
    this.isPaused = true;
    this.socket.pause();
  }

  resume(request: PlainRequest): void {
    if (this.request !== request) return;
    this.isPaused = false;
    this.quietMs = 0;
    this.socket.resume();
  }

  head(status: number, headers: ReplyHeaders): void {
    this.answered = true;
    this.request?.handler.started(status, headers);
  }

  body(bytes: Uint8Array): void {
    this.request?.handler.data(bytes);
  }

  private read(length: number): void {
    this.quietMs = 0;
    if (this.over) return;
    if (this.request === undefined) {
      this.close();
      return;
    }
    try {
      const used = this.parser.execute(readBuffer, length);
      if (this.parser.isOver) this.finish(used === length);
      else {
        if (this.answered) this.request?.handler.flush();
        if (length === readBuffer.length) this.yieldToEventLoop();
      }
    } catch (error) {
      this.fail(error as Error);
    }
  }

  /**
   * Pauses reading until the next iteration of the event loop. After a read that fills the buffer, libuv would
   * otherwise read up to 2 MB from this socket before any other one.
   */
  private yieldToEventLoop(): void {
    if (this.over || this.request === undefined || this.socket.isPaused()) return;
    this.socket.pause();
    setImmediate(() => {
      if (!this.over && !this.isPaused) this.socket.resume();
    });
  }

  /** The response is complete. `clean`: no bytes followed it. */
  private finish(clean: boolean): void {
    const { request, socket, parser } = this;
    if (request === undefined) return;
    this.request = undefined;
    if (socket.isPaused()) socket.resume();
    // A server that responded before it had read the whole request may close the connection: it is not reused.
    if (clean && parser.keepAlive && this.keepAliveMs > 0 && socket.writableLength === 0) this.rules.idle(this);
    else this.close();
    request.handler.ended();
  }

  private get keepAliveMs(): number {
    const { keepAliveMs } = this.parser;
    // A second less than the server says, so that it does not close a connection that is just being reused.
    return keepAliveMs === undefined ? this.rules.options.keepAliveMs : Math.min(keepAliveMs - 1000, longestIdleMs);
  }

  private ended(): void {
    if (this.over) return;
    if (this.parser.close()) this.finish(false);
    else this.fail(new errors.SocketError('other side closed'));
  }

  /** Closes the connection and fails its request. */
  fail(error: Error): void {
    if (this.over) return;
    const { request } = this;
    this.close();
    request?.handler.failed(error);
  }
}

/** The longest time that an idle connection is kept, whatever the server says. */
const longestIdleMs = 600_000;

/** A request on its connection. Its methods have no effect once the connection serves another request. */
class PlainRequest implements RequestHandle {
  constructor(
    private readonly connection: Connection,
    readonly handler: ReplyHandler,
  ) {}

  abort(): void {
    this.connection.abort(this);
  }

  pause(): void {
    this.connection.pause(this);
  }

  resume(): void {
    this.connection.resume(this);
  }
}
