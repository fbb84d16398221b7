import type { ModelEntry } from '@callsmith/data/snapshot';
import { outboundAdapters } from '@callsmith/protocols';
import { runSync, sse } from '@callsmith/stream';
import { Fault, isObject, type JsonObject, parseJson } from '@callsmith/turn';
import type { FastifyReply } from 'fastify';
import type { AbortReceiver } from '../record/abort-source.ts';
import type { RequestRecord } from '../record/request-record.ts';
import { type AttemptFailure, targetOf } from '../upstream/attempt.ts';
import { estimateTokens } from '../upstream/count-tokens.ts';
import { sampleText } from '../upstream/observe-passthrough.ts';
import type { SendFailure } from '../upstream/send-failure.ts';
import type { Receiver, Sending, UpstreamClient } from '../upstream/upstream-client.ts';
import { withoutKey } from '../upstream/without-key.ts';
import type { Breaker } from './breaker.ts';
import { firstRoute, type Try, tryAgain, tryUntilAnswered } from './retry.ts';

/** A request of an API that we pass through as it is: `/v1/completions`, `/v1/embeddings`. */
export interface RawJob {
  readonly exchange: RequestRecord;
  readonly model: ModelEntry;
  readonly client: UpstreamClient;
  readonly breaker: Breaker;
  readonly reply: FastifyReply;
  /** Appended to the upstream's base URL. */
  readonly path: string;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  /** Of our answer. */
  readonly answerHeaders: () => Readonly<Record<string, string>>;
  /** Aborted when the client hangs up or the gateway stops. */
  readonly signal: AbortReceiver;
}

/**
 * Passes a reply's bytes through as they come. While none has gone out, an upstream in trouble is tried again and then
 * the next one is (D-23). Throws the last one's fault.
 */
export async function passThroughRaw(asking: RawJob): Promise<void> {
  const { exchange, model, breaker, signal } = asking;
  const failure = await tryUntilAnswered<Try>({
    first: { route: firstRoute(model, breaker, Math.random) },
    exchange,
    breaker,
    signal,
    committed: () => isCommitted(exchange),
    attempt: (next) => attempt(asking, next),
    after: (last, failure, tries) => tryAgain(model, breaker, { last, failure, tries }),
  });
  if (signal.aborted) {
    // A client that hung up hears nothing; one that is stopped for another reason is told.
    if (signal.reason instanceof Fault) throw signal.reason;
    return;
  }
  // Where half an answer is out, this ends the connection: it must not look like a whole one.
  if (failure) throw failure.fault;
  await estimate(asking);
}

/** A byte of an answer has gone out. */
const isCommitted = (exchange: RequestRecord): boolean => exchange.firstResponseAt !== undefined;

/** Sends one upstream request and waits until its reply is over, and passed on if it is good. */
async function attempt(asking: RawJob, { route, fresh }: Try): Promise<AttemptFailure | undefined> {
  const { exchange, client, signal } = asking;
  exchange.route = route;
  exchange.attempts++;
  try {
    const waited = client.admit(route.upstream, signal);
    if (typeof waited !== 'number') exchange.waitedMs += await waited;
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof Fault) return { fault: error, kind: 'answer' };
    throw error;
  }
  return new Promise((resolve) => {
    const cancel = (): void => {
      sending.abort();
      resolve(undefined);
    };
    const passing = new RawPassthrough(asking, (failure) => {
      signal.removeEventListener('abort', cancel);
      if (failure) withoutKey(failure.fault, route.upstream);
      resolve(failure);
    });
    signal.addEventListener('abort', cancel);
    const sending = client.send(
      route.upstream,
      {
        path: asking.path,
        body: JSON.stringify({ ...asking.body, model: route.upstreamModel }),
        headers: asking.headers,
        ...(fresh && { fresh }),
      },
      passing,
    );
    passing.sending = sending;
    exchange.upstreamRequestAt ??= performance.now();
  });
}

const maxCollected = 1024 * 1024;

/** One reply: a good one goes to the client as it comes, with its head at its first byte; any other is a failure. */
class RawPassthrough implements Receiver {
  sending: Sending | undefined;
  private status = 0;
  private headers: Record<string, string> = {};
  private opened = false;
  private readonly collected: Buffer[] = [];
  private size = 0;

  constructor(
    private readonly asking: RawJob,
    private readonly done: (failure: AttemptFailure | undefined) => void,
  ) {}

  started(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    this.status = status;
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    this.asking.exchange.firstByteAt = performance.now();
  }

  data(bytes: Uint8Array): void {
    const kept = Buffer.from(bytes);
    this.size += kept.length;
    if (this.size <= maxCollected) this.collected.push(kept);
    if (!this.good) return;
    this.open();
    if (!this.asking.reply.raw.write(kept)) this.sending?.pause();
  }

  flush(): void {}

  ended(): void {
    const text = this.size <= maxCollected ? Buffer.concat(this.collected).toString('utf8') : '';
    if (!this.good) {
      this.done(this.refused(text));
      return;
    }
    this.open();
    this.asking.reply.raw.end();
    this.count(text);
    this.done(undefined);
  }

  failed({ fault, kind }: SendFailure): void {
    this.done({ fault, kind });
  }

  /** A page of HTML is a sign-in or a wrong address, whatever its status says. */
  private get good(): boolean {
    return this.status < 300 && !this.headers['content-type']?.startsWith('text/html');
  }

  private refused(body: string): AttemptFailure {
    const { route } = this.asking.exchange;
    const page = this.status < 300;
    const status = page ? 502 : this.status;
    const target = route && targetOf(route, []);
    const fault = target
      ? outboundAdapters['openai-chat'].toFault({ status, headers: this.headers, body }, target)
      : new Fault('upstream_invalid_answer');
    return { fault, kind: page ? 'garbage' : 'status', status, body };
  }

  private open(): void {
    if (this.opened) return;
    this.opened = true;
    const { exchange, reply, answerHeaders } = this.asking;
    exchange.status = this.status;
    reply.hijack();
    reply.raw.writeHead(this.status, {
      ...(reply.getHeaders() as Record<string, string>),
      ...answerHeaders(),
      'content-type': this.headers['content-type'] ?? 'application/json',
    });
    exchange.firstResponseAt = performance.now();
    reply.raw.on('drain', () => this.sending?.resume());
  }

  private count(text: string): void {
    const whole = parseJson(text);
    for (const chunk of isObject(whole) ? [whole] : chunksIn(text)) this.countIn(chunk);
  }

  private countIn({ usage, choices }: JsonObject): void {
    const { exchange } = this.asking;
    for (const choice of Array.isArray(choices) ? choices : [])
      if (isObject(choice) && typeof choice.text === 'string')
        sampleText(JSON.stringify(choice.text).slice(1, -1), exchange);
    if (!isObject(usage) || typeof usage.prompt_tokens !== 'number') return;
    const outputTokens = typeof usage.completion_tokens === 'number' ? usage.completion_tokens : 0;
    exchange.summary.add({
      type: 'usage',
      choice: 0,
      inputTokens: usage.prompt_tokens,
      outputTokens,
      source: 'upstream',
    });
  }
}

/** The payloads of an event stream. */
const chunksIn = (text: string): JsonObject[] =>
  runSync(sse(), [text])
    .out.map((payload) => parseJson(payload))
    .filter(isObject);

/** Counts what the upstream did not count; the answer is out. */
async function estimate({ exchange, body }: RawJob): Promise<void> {
  const { summary, textSample } = exchange;
  if (summary.usage !== undefined) return;
  const prompt = [body.prompt ?? body.input].flat(2).filter((part) => typeof part === 'string');
  const usage = await estimateTokens(prompt.join('\n'), { sample: textSample, length: summary.textLength });
  summary.add({ type: 'usage', choice: 0, ...usage });
}
