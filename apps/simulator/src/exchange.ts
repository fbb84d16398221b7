import type { IncomingMessage, ServerResponse } from 'node:http';
import { type JsonValue, parseJson } from '@callsmith/turn';
import type { ErrorAnswer } from './protocols/errors.ts';
import type { RecordedRequest } from './recorder.ts';

/** One HTTP request and its response; detects when the client disconnects. */
export class Exchange {
  gone = false;
  private readonly sleepers = new Set<() => void>();
  private readonly writers = new Set<() => void>();

  constructor(
    readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    readonly record: RecordedRequest,
  ) {
    response.on('close', () => {
      this.gone = true;
      record.endedAt ??= Date.now();
      record.end ??= response.writableFinished ? 'complete' : 'aborted';
      for (const wake of [...this.sleepers, ...this.writers]) wake();
    });
    response.on('drain', () => {
      for (const wake of this.writers) wake();
    });
  }

  /** Reads the whole body. */
  async body(): Promise<JsonValue | undefined> {
    const parts: Buffer[] = [];
    for await (const part of this.request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString('utf8');
    const value = text === '' ? undefined : parseJson(text);
    this.record.body = value ?? (text === '' ? undefined : text);
    return value;
  }

  /** Waits; ends early if the client disconnects. */
  wait(milliseconds: number): Promise<void> {
    if (this.gone) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.sleepers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.sleepers.add(done);
    });
  }

  json(status: number, value: JsonValue, headers: Readonly<Record<string, string>> = {}): void {
    this.text(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
  }

  text(status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
    if (this.gone) return;
    this.record.status = status;
    this.record.firstByteAt = Date.now();
    this.response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    });
    this.response.end(text);
  }

  error({ status, body, headers }: ErrorAnswer): void {
    if (typeof body === 'string') this.text(status, body, headers);
    else this.json(status, body, headers);
  }

  /** Opens a stream: of events, or of another kind of content. */
  openStream(contentType = 'text/event-stream; charset=utf-8'): void {
    if (this.gone) return;
    this.record.status = 200;
    this.response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
    this.response.flushHeaders();
  }

  /** Writes one event's data; resolves when the socket can take more. */
  event(data: string, name?: string): Promise<void> {
    return this.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`);
  }

  /** Writes a line of JSON; resolves when the socket can take more. */
  line(value: JsonValue): Promise<void> {
    return this.write(`${JSON.stringify(value)}\n`);
  }

  endStream(): void {
    if (!this.gone) this.response.end();
  }

  /** Resets the connection. */
  cut(): void {
    if (this.gone) return;
    this.record.end = 'cut';
    const { socket } = this.response;
    if (socket === null || socket.destroyed) return;
    socket.resetAndDestroy();
  }

  private async write(frame: string): Promise<void> {
    if (this.gone) return;
    this.record.firstByteAt ??= Date.now();
    this.record.frames++;
    if (!this.response.write(frame)) await this.drained();
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.writers.delete(done);
        resolve();
      };
      this.writers.add(done);
    });
  }
}
