import { Fault, isObject, type JsonObject, parseJson } from '@callsmith/turn';
import { upstreams } from '@callsmith/wires';
import type { FastifyReply } from 'fastify';
import { targetOf } from './attempt.ts';
import type { Exchange } from './exchange.ts';
import type { SendFailure } from './send-failure.ts';
import type { Sending, UpstreamClient } from './upstream.client.ts';
import { withoutKey } from './without-key.ts';

/** A request of an API that we pass through as it is: `/v1/completions`, `/v1/embeddings`. */
export interface RawAsking {
  readonly exchange: Exchange;
  readonly client: UpstreamClient;
  readonly reply: FastifyReply;
  /** Appended to the upstream's base URL. */
  readonly path: string;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  /** Of our answer. */
  readonly answerHeaders: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Passes a reply's bytes through as they come; an error reply is thrown as the fault it is. */
export async function passRaw(asking: RawAsking): Promise<void> {
  const { exchange, client, signal } = asking;
  const route = exchange.route;
  if (route === undefined) throw new Fault('no_upstream');
  const waited = client.admit(route.upstream, signal);
  if (typeof waited !== 'number') exchange.waitedMs += await waited;
  const target = targetOf(route, []);
  exchange.attempts++;
  await new Promise<void>((resolve, reject) => {
    const passing = new RawPassing(asking, resolve, (failure) => {
      if ('kind' in failure) reject(failure.fault);
      else reject(withoutKey(upstreams['openai-chat'].fault(failure, target), route.upstream));
    });
    const sending = client.send(
      route.upstream,
      {
        path: asking.path,
        body: JSON.stringify({ ...asking.body, model: route.upstreamModel }),
        headers: asking.headers,
      },
      passing,
    );
    passing.sending = sending;
    exchange.sentAt ??= performance.now();
    signal.addEventListener('abort', () => {
      sending.abort();
      resolve();
    });
  });
}

interface ErrorReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const maxCollected = 1024 * 1024;

class RawPassing {
  sending: Sending | undefined;
  private status = 0;
  private headers: Record<string, string> = {};
  private readonly collected: Uint8Array[] = [];
  private size = 0;

  constructor(
    private readonly asking: RawAsking,
    private readonly resolve: () => void,
    private readonly reject: (failure: SendFailure | ErrorReply) => void,
  ) {}

  started(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    const { exchange, reply, answerHeaders } = this.asking;
    this.status = status;
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    if (status >= 300) return;
    exchange.heardAt = performance.now();
    exchange.status = status;
    reply.hijack();
    reply.raw.writeHead(status, {
      ...(reply.getHeaders() as Record<string, string>),
      ...answerHeaders(),
      'content-type': this.headers['content-type'] ?? 'application/json',
    });
    exchange.answeredAt = performance.now();
    reply.raw.on('drain', () => this.sending?.resume());
  }

  data(bytes: Uint8Array): void {
    this.size += bytes.length;
    if (this.size <= maxCollected) this.collected.push(bytes);
    if (this.status < 300 && !this.asking.reply.raw.write(bytes)) this.sending?.pause();
  }

  ended(): void {
    const text = this.size <= maxCollected ? Buffer.concat(this.collected).toString('utf8') : '';
    if (this.status >= 300) {
      this.reject({ status: this.status, headers: this.headers, body: text });
      return;
    }
    this.asking.reply.raw.end();
    this.count(text);
    this.resolve();
  }

  failed(failure: SendFailure): void {
    if (this.status === 0 || this.status >= 300) {
      this.reject(failure);
      return;
    }
    // Half an answer must not look like a whole one.
    this.asking.exchange.fault = failure.fault;
    this.asking.reply.raw.destroy();
    this.resolve();
  }

  private count(text: string): void {
    const whole = parseJson(text);
    if (!isObject(whole) || !isObject(whole.usage)) return;
    const { prompt_tokens: input, completion_tokens: output } = whole.usage;
    if (typeof input !== 'number') return;
    const outputTokens = typeof output === 'number' ? output : 0;
    this.asking.exchange.account.add({
      type: 'usage',
      choice: 0,
      inputTokens: input,
      outputTokens,
      source: 'upstream',
    });
  }
}
