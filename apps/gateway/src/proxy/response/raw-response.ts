import type { FastifyReply } from 'fastify';
import type { ResponseSummary } from '../record/response-summary.ts';

/** A response with the upstream's unmodified bytes. */
export class RawResponse {
  /** Its head was sent. */
  opened = false;

  constructor(
    private readonly reply: FastifyReply,
    readonly summary: ResponseSummary,
    private readonly ownHeaders: () => Readonly<Record<string, string>>,
  ) {}

  /** Sends the head, once. `resume`: called when the client has read what was pending. */
  open(status: number, contentType: string, resume: () => void): void {
    if (this.opened) return;
    this.opened = true;
    const { reply, summary } = this;
    reply.hijack();
    const copy = reply.getHeaders() as Record<string, string>;
    reply.raw.writeHead(status, Object.assign(copy, this.ownHeaders(), { 'content-type': contentType }));
    summary.sendHead(status);
    reply.raw.on('drain', resume);
  }

  /** False: the client reads slower than the upstream writes. */
  write(bytes: Uint8Array): boolean {
    return this.reply.raw.write(bytes);
  }

  end(): void {
    this.reply.raw.end();
  }
}
