import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Sink } from '@callsmith/stream';
import type { Heartbeat } from './heartbeat.ts';

/** What a stream to a client needs from outside. */
export interface StreamReplyOptions {
  /** Asked for once, when the head goes out. */
  readonly headers: () => OutgoingHttpHeaders;
  /** What goes out after a long silence. */
  readonly keepAlive: () => string;
  /** The client reads slower than the model writes: stop reading, go on reading. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly heartbeat: Heartbeat;
}

/**
 * An event stream to one client. Text is gathered and goes out in one write for each flush, which comes once for each
 * read of the upstream. A client that does not read holds the upstream back.
 *
 * The first write brings the head. The chunks behind it are framed here and go to the socket as one string each: through
 * `ServerResponse` each would be three buffers, gathered and written by turns of their own.
 */
export class StreamReply implements Sink<string> {
  private gathered = '';
  private blocked = false;
  private ended = false;
  /** In the heartbeat's list; undefined: no longer there. */
  private heartbeatSlot: number | undefined;
  /** Takes framed chunks, once the head is out. */
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

  /** Writes what is gathered. An empty write would be the chunk that ends the response. */
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
    // A response without chunks (HTTP/1.0), or one that waits for another on its connection, stays with ServerResponse.
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
    // The last chunk and the one that ends the response leave in one write.
    this.socket?.cork();
    if (this.gathered !== '' && this.socket) this.write(this.gathered);
    this.raw.end(this.gathered === '' || this.socket ? undefined : this.gathered);
    this.socket?.uncork();
    this.gathered = '';
  }

  /** Called now and then: keeps a silent stream alive, and gives up on a client that reads nothing any more. */
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
