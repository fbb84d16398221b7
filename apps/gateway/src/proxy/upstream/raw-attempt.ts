import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { outboundAdapters } from '@callsmith/protocols';
import { CollectedBytes, runSync, sse } from '@callsmith/stream';
import { copyNumberSources, isObject, type JsonObject, parseJson, writeJson } from '@callsmith/turn';
import { decodeUtf8 } from '../../decode-utf8.ts';
import type { Observers } from '../observers/index.ts';
import type { AbortReceiver } from '../record/abort-source.ts';
import type { AttemptLog, UpstreamRequest } from '../record/attempt-log.ts';
import type { ResponseSummary } from '../record/response-summary.ts';
import type { TokenLists } from '../record/token-lists.ts';
import type { UpstreamTiming } from '../record/upstream-timing.ts';
import type { RawResponse } from '../response/raw-response.ts';
import { type AttemptFailure, asFailure } from './attempt-failure.ts';
import { endRequest } from './end-request.ts';
import type { SendFailure } from './send-failure.ts';
import { targetOf } from './target-of.ts';
import type { ReplyHeaders } from './transport/transport.ts';
import type { Receiver, RequestHandle, UpstreamClient } from './upstream-client.ts';
import { withoutKey } from './without-key.ts';

/** A request of an API whose requests and responses pass through unchanged: `/v1/completions`, `/v1/embeddings`. */
export interface RawJob {
  /** The parts of the record that attempts write. */
  readonly log: AttemptLog;
  readonly timing: UpstreamTiming;
  readonly observers: Observers;
  readonly model: ModelEntry;
  readonly response: RawResponse;
  /** Appended to the upstream's base URL. */
  readonly path: string;
  readonly body: JsonObject;
  /** The body's long lists of tokens, for which it has placeholders. */
  readonly lists: TokenLists;
  /** Parameters that were left out of the body. */
  readonly dropped: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client hangs up or the gateway stops. */
  readonly signal: AbortReceiver;
}

/**
 * Sends one upstream request. Resolves when the response was passed on or the client has disconnected (undefined), or
 * with the failure. `fresh`: on a new connection.
 */
export async function runRawAttempt(
  client: UpstreamClient,
  job: RawJob,
  { route, fresh }: { readonly route: Route; readonly fresh: boolean },
): Promise<AttemptFailure | undefined> {
  const { signal, timing, path } = job;
  try {
    const waited = client.admit(route.upstream, signal);
    if (typeof waited !== 'number') timing.waitedMs += await waited;
  } catch (error) {
    if (signal.aborted) return undefined;
    return asFailure(error);
  }
  const request: UpstreamRequest = { purpose: 'attempt', route, sentAt: performance.now() };
  job.log.requests.push(request);
  return new Promise((resolve) => {
    const cancel = (): void => {
      sending.abort();
      endRequest(request, undefined);
      resolve(undefined);
    };
    const attempt = new RawAttempt(job, request, (failure) => {
      endRequest(request, failure);
      signal.removeEventListener('abort', cancel);
      if (failure) withoutKey(failure.fault, route.upstream);
      resolve(failure);
    });
    signal.addEventListener('abort', cancel);
    const own = { ...job.body, model: route.upstreamModel };
    copyNumberSources(job.body, own);
    const body = job.lists.fill(writeJson(own));
    const headers = job.observers.upstreamRequest(request, job.headers);
    const sending = client.send(route.upstream, { path, body, headers, fresh }, attempt);
    attempt.sending = sending;
    timing.requestSentAt ??= performance.now();
  });
}

/** A longer response passes through as well, but its tokens are not counted; in bytes. */
const maxCollected = 1024 * 1024;

/**
 * Receives one response. A good one is passed to the client as it arrives, its head with its first byte; any other is a
 * failure.
 */
class RawAttempt implements Receiver {
  sending: RequestHandle | undefined;
  private status = 0;
  private headers: Record<string, string> = {};
  private readonly collected = new CollectedBytes({ bytes: maxCollected });

  constructor(
    private readonly job: RawJob,
    private readonly request: UpstreamRequest,
    private readonly done: (failure: AttemptFailure | undefined) => void,
  ) {}

  started(status: number, headers: ReplyHeaders): void {
    this.status = status;
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    this.request.status = status;
    this.request.firstByteAt = performance.now();
    this.job.timing.firstByteAt = this.request.firstByteAt;
  }

  data(bytes: Uint8Array): void {
    const kept = Buffer.from(bytes);
    this.collected.push(kept);
    if (!this.good) return;
    this.open();
    if (!this.job.response.write(kept)) this.sending?.pause();
  }

  flush(): void {}

  ended(): void {
    const text = decodeUtf8(this.collected.whole());
    if (!this.good) {
      this.done(this.refused(text));
      return;
    }
    this.open();
    this.job.response.end();
    countReply(text, this.job.response.summary);
    this.done(undefined);
  }

  failed({ fault, kind }: SendFailure): void {
    this.done({ fault, kind });
  }

  /** HTML is never a good response, whatever the status: it comes from a sign-in page or a wrong address. */
  private get good(): boolean {
    return this.status < 300 && !this.headers['content-type']?.startsWith('text/html');
  }

  private refused(body: string): AttemptFailure {
    const page = this.status < 300;
    const reply = { status: this.status, headers: this.headers, body };
    const fault = outboundAdapters['openai-chat'].toFault(reply, targetOf(this.request.route, [], this.job.model));
    return { fault, kind: page ? 'garbage' : 'status', status: page ? 502 : this.status, body };
  }

  private open(): void {
    this.job.response.open(this.status, this.headers['content-type'] ?? 'application/json', () =>
      this.sending?.resume(),
    );
  }
}

/** Records the tokens and the text of a response that has passed through, a whole one or a stream. */
function countReply(text: string, summary: ResponseSummary): void {
  const whole = parseJson(text);
  for (const chunk of isObject(whole) ? [whole] : chunksIn(text)) countChunk(chunk, summary);
}

function countChunk({ usage, choices }: JsonObject, summary: ResponseSummary): void {
  for (const choice of Array.isArray(choices) ? choices : [])
    if (isObject(choice) && typeof choice.text === 'string') summary.addPassedWhole(choice.text);
  if (!isObject(usage)) return;
  // For rerank requests some servers report only the total.
  const inputTokens = usage.prompt_tokens ?? usage.total_tokens;
  if (typeof inputTokens !== 'number') return;
  const outputTokens = typeof usage.completion_tokens === 'number' ? usage.completion_tokens : 0;
  summary.count({ type: 'usage', choice: 0, inputTokens, outputTokens, source: 'upstream' });
}

/** The payloads of an event stream. */
const chunksIn = (text: string): JsonObject[] =>
  runSync(sse(), [text])
    .out.map((payload) => parseJson(payload))
    .filter(isObject);
