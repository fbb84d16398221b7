import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Sink } from '@callsmith/stream';
import type { Heartbeat } from './heartbeat.ts';

/** The dependencies of a stream to a client. */
export interface StreamReplyOptions {
  /** Called once, when the head is sent. */
  readonly headers: () => OutgoingHttpHeaders;
  /** The heartbeat. */
  readonly keepAlive: () => string;
  /** The client reads slower than the model writes: pause or resume reading. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly heartbeat: Heartbeat;
}

/**
 * An event stream to one client. Text is buffered and sent in one write per flush, which comes once for each read of
 * the upstream. A client that does not read pauses the upstream.
 *
 * The first write sends the head. The chunks after it are framed here and go to the socket as one string each: through
 * `ServerResponse` each would be three buffers, collected and written separately.
 */
export class StreamReply implements Sink<string> {
  private gathered = '';
  private blocked = false;
  private ended = false;
  /** Its slot in the heartbeat's list; undefined: no longer there. */
  private heartbeatSlot: number | undefined;
  /** The socket for framed chunks, once the head was sent. */
  private socket: Socket | undefined;
  /** `performance.now()` of the last write; of the opening until then. */
  lastWriteAt = performance.now();

  constructor(
    private readonly raw: ServerResponse,
    private readonly options: StreamReplyOptions,
  ) {
    raw.on('drain', this.drained);
    raw.once('close', () => this.leave());
    this.heartbeatSlot = options.heartbeat.add(this);
  }

  get opened(): boolean {
    return this.raw.headersSent;
  }

  /** Sends status 200 and the headers, once. */
  open(): void {
    if (this.raw.headersSent || this.raw.destroyed) return;
    this.raw.writeHead(200, this.options.headers());
  }

  push(text: string): void {
    this.gathered = this.gathered === '' ? text : this.gathered + text;
  }

  /** Writes the buffer. An empty write would be the chunk that ends the response. */
  flush(): void {
    if (this.gathered === '' || this.ended || this.raw.destroyed) return;
    this.open();
    const text = this.gathered;
    this.gathered = '';
    this.lastWriteAt = performance.now();
    if (this.write(text) || this.blocked) return;
    this.blocked = true;
    this.options.pause();
  }

  /** False: the client reads slower than we write. */
  private write(text: string): boolean {
    const { socket } = this;
    if (socket !== undefined) {
      const bytes = Buffer.byteLength(text);
      return socket.write(`${bytes.toString(16)}\r\n${text}\r\n`, bytes === text.length ? 'latin1' : 'utf8');
    }
    const flows = this.raw.write(text);
    // A response without chunks (HTTP/1.0), or one that is queued on its connection, is left to ServerResponse.
    if (this.raw.chunkedEncoding && this.raw.socket) {
      this.socket = this.raw.socket;
      this.socket.on('drain', this.drained);
    }
    return flows;
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.leave();
    if (this.raw.destroyed) return;
    this.open();
    // The last chunk and the one that ends the response are sent in one write.
    this.socket?.cork();
    if (this.gathered !== '' && this.socket) this.write(this.gathered);
    this.raw.end(this.gathered === '' || this.socket ? undefined : this.gathered);
    this.socket?.uncork();
    this.gathered = '';
  }

  /** Called periodically: keeps a silent stream alive, and disconnects a client that no longer reads. */
  beat(now: number, silenceMs: number, maxUnreadMs: number): void {
    if (this.ended) return;
    if (this.blocked) {
      if (now - this.lastWriteAt > maxUnreadMs) this.raw.destroy();
      return;
    }
    if (now - this.lastWriteAt < silenceMs) return;
    this.open();
    this.push(this.options.keepAlive());
    this.flush();
  }

  private readonly drained = (): void => {
    if (!this.blocked) return;
    this.blocked = false;
    this.lastWriteAt = performance.now();
    this.options.resume();
  };

  private leave(): void {
    if (this.heartbeatSlot === undefined) return;
    this.options.heartbeat.remove(this.heartbeatSlot);
    this.heartbeatSlot = undefined;
    this.raw.off('drain', this.drained);
    this.socket?.off('drain', this.drained);
  }
}
