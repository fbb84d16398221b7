import { connect, type Socket } from 'node:net';
import { errors } from 'undici';
import { ResponseParser } from './response-parser.ts';
import type { ReplyHandler, ReplyHeaders, RequestHandle, TransportOptions } from './transport.ts';

/** Where a connection goes, and who is notified of its state. */
export interface ConnectionRules {
  readonly host: string;
  readonly port: number;
  readonly options: TransportOptions;
  /** It has nothing to do, and may be given the next request. */
  readonly idle: (connection: Connection) => void;
  readonly closed: (connection: Connection) => void;
}

/**
 * All sockets read into this one buffer: a read is handed to its receiver before the next read of any socket. It is as
 * large as what libuv reads at once.
 */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** One socket to a server: one request after the other. */
export class Connection {
  /** Milliseconds without a read, as far as `tick` has counted. */
  private quietMs = 0;
  /** Milliseconds since the request was sent, as far as `tick` has counted, until the reply's head has come. */
  private waitedMs = 0;
  /** The holder of the request does not want to read on for now. */
  private held = false;
  private readonly socket: Socket;
  private readonly parser = new ResponseParser(this);
  private flight: PlainRequest | undefined;
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

  /** False: the server closed it, or has something to say that nobody asked for. */
  get usable(): boolean {
    return !this.over && this.flight === undefined && !this.socket.destroyed && this.socket.readable;
  }

  /** Sends a request, whole. `head`: up to its empty line, in latin1. `bytes`: how many its body has. */
  send(
    head: string,
    { text, bytes }: { readonly text: string | Uint8Array; readonly bytes: number },
    handler: ReplyHandler,
  ): RequestHandle {
    const { socket } = this;
    const flight = new PlainRequest(this, handler);
    this.flight = flight;
    this.answered = false;
    this.held = false;
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
    return flight;
  }

  /** `ms` have gone by. */
  tick(ms: number): void {
    const { options } = this.rules;
    if (this.flight !== undefined && this.socket.isPaused()) return;
    this.quietMs += ms;
    if (this.socket.connecting) {
      if (this.quietMs > options.connectTimeoutMs) this.fail(new errors.ConnectTimeoutError());
    } else if (this.flight === undefined) {
      if (this.quietMs + ms > this.keepAliveMs) this.close();
    } else if (!this.answered) {
      // Bytes that are no head, interim replies among them, do not begin it anew (D-39).
      this.waitedMs += ms;
      if (this.waitedMs > options.firstByteTimeoutMs) this.fail(new errors.HeadersTimeoutError());
    } else if (this.quietMs > options.idleTimeoutMs) this.fail(new errors.BodyTimeoutError());
  }

  /** Nobody wants it any more. */
  close(): void {
    this.over = true;
    this.flight = undefined;
    this.socket.destroy();
    this.rules.closed(this);
  }

  /** Of a request's holder. */
  abort(flight: PlainRequest): void {
    if (this.flight === flight) this.close();
  }

  pause(flight: PlainRequest): void {
    if (this.flight !== flight) return;
    this.held = true;
    this.socket.pause();
  }

  resume(flight: PlainRequest): void {
    if (this.flight !== flight) return;
    this.held = false;
    this.quietMs = 0;
    this.socket.resume();
  }

  head(status: number, headers: ReplyHeaders): void {
    this.answered = true;
    this.flight?.handler.started(status, headers);
  }

  body(bytes: Uint8Array): void {
    this.flight?.handler.data(bytes);
  }

  private read(length: number): void {
    this.quietMs = 0;
    if (this.over) return;
    if (this.flight === undefined) {
      this.close();
      return;
    }
    try {
      const used = this.parser.execute(readBuffer, length);
      if (this.parser.isOver) this.finish(used === length);
      else {
        if (this.answered) this.flight?.handler.flush();
        if (length === readBuffer.length) this.breathe();
      }
    } catch (error) {
      this.fail(error as Error);
    }
  }

  /** Where a read fills the buffer there is more at once, of which libuv would read 2 MB before any other socket has its turn. */
  private breathe(): void {
    if (this.over || this.flight === undefined || this.socket.isPaused()) return;
    this.socket.pause();
    setImmediate(() => {
      if (!this.over && !this.held) this.socket.resume();
    });
  }

  /** The reply is whole. `clean`: nothing came behind it. */
  private finish(clean: boolean): void {
    const { flight, socket, parser } = this;
    if (flight === undefined) return;
    this.flight = undefined;
    if (socket.isPaused()) socket.resume();
    // A server that answered before it had read all is not asked again here.
    if (clean && parser.keepAlive && this.keepAliveMs > 0 && socket.writableLength === 0) this.rules.idle(this);
    else this.close();
    flight.handler.ended();
  }

  private get keepAliveMs(): number {
    const { keepAliveMs } = this.parser;
    // A second less than the server says, so that it does not close what is just being used.
    return keepAliveMs === undefined ? this.rules.options.keepAliveMs : Math.min(keepAliveMs - 1000, longestIdleMs);
  }

  private ended(): void {
    if (this.over) return;
    if (this.parser.close()) this.finish(false);
    else this.fail(new errors.SocketError('other side closed'));
  }

  /** Ends it and what is on its way on it. */
  fail(error: Error): void {
    if (this.over) return;
    const { flight } = this;
    this.close();
    flight?.handler.failed(error);
  }
}

/** However long a server says that it keeps a connection. */
const longestIdleMs = 600_000;

/** A request on its connection; when that one serves another, this has no say any more. */
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
