import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@callsmith/config';
import { type Directory, hashKey, type KeyEntry } from '@callsmith/data';
import { Fault, type JsonObject, type JsonValue, type Turn } from '@callsmith/turn';
import { type AnswerHead, type BodyLimits, type Front, passesUntouched } from '@callsmith/wires';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Asking, Attempts, type Flow } from './attempts.ts';
import { parseBody } from './body.ts';
import { Breaker } from './breaker.ts';
import { StreamAnswer, WholeAnswer } from './client-answer.ts';
import { asFault } from './errors.ts';
import { Exchange } from './exchange.ts';
import { keepsBodies, type Watch, Watching } from './observers/index.ts';
import { clientOf } from './policy/client.ts';
import { decide } from './policy/decide.ts';
import { forwarded } from './policy/forward.ts';
import { hintOf, keyOf } from './policy/identify.ts';
import { Pulse } from './pulse.ts';
import { StreamReply } from './reply.ts';
import { UpstreamClient } from './upstream.client.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request to an inference route. */
    visit: Visit | undefined;
  }
}

/** One request to an inference route, from its head to its last byte. */
export interface Visit {
  readonly exchange: Exchange;
  readonly watching: Watching;
  done: boolean;
}

/** What a route says about its turns. */
export interface RouteRules {
  readonly front: Front;
  /** The model in the path, where it is not in the body. */
  readonly model?: string;
  /** The rules of the compatibility routes (M-1…M-6). */
  readonly proxyRules?: boolean;
}

/** What the proxy is made with. */
export interface ProxyParts {
  readonly config: Pick<Config, 'secretKey'>;
  readonly directory: Directory;
  readonly watches: readonly Watch[];
  readonly client?: UpstreamClient;
  readonly pulse?: Pulse;
  readonly breaker?: Breaker;
  readonly complain: (error: unknown) => void;
}

const bodyLimits: BodyLimits = { maxDepth: 200, maxMessages: 10_000, maxTools: 2000 };

/** The request path, top to bottom. */
export class ProxyService {
  readonly client: UpstreamClient;
  readonly pulse: Pulse;
  readonly breaker: Breaker;
  private readonly attempts: Attempts;
  /** Requests that run now, by what stops them. */
  private readonly running = new Set<AbortController>();
  private stopping = false;

  constructor(private readonly parts: ProxyParts) {
    this.client = parts.client ?? new UpstreamClient();
    this.pulse = parts.pulse ?? new Pulse();
    this.breaker = parts.breaker ?? new Breaker();
    this.attempts = new Attempts(this.client, this.breaker, parts.directory);
  }

  get streams(): number {
    return this.pulse.size;
  }

  /** The head of a request has come: whose is it? Throws what the client did wrong; the visit is begun all the same. */
  arrive(request: FastifyRequest): void {
    const exchange = new Exchange(request.id, request.routeOptions.url ?? '', clientOf(request.headers));
    request.visit = {
      exchange,
      watching: new Watching(this.parts.watches, exchange, this.parts.complain),
      done: false,
    };
    if (this.stopping) throw new Fault('shutting_down', undefined, { headers: { 'retry-after': '5' } });
    exchange.key = this.identify(request);
  }

  /** A turn: identify, read, decide, choose, shape, send, answer. The first of these is `arrive`, the last three are `attempts`. */
  async serve(request: FastifyRequest, reply: FastifyReply, rules: RouteRules): Promise<void> {
    const { exchange, watching } = this.visitOf(request);
    const key = exchange.key as KeyEntry;
    const body = parseBody(request.body as Buffer | undefined);
    const turn = rules.front.turn(withModel(body, rules.model, exchange), bodyLimits);
    exchange.turn = turn;
    exchange.streamed = turn.stream;
    exchange.asked = turn.model;
    const model = decide(key, turn.model, this.parts.directory);
    exchange.model = model;
    if (keepsBodies(exchange)) exchange.clientBody = request.body as Buffer;
    request.body = undefined;
    this.parts.directory.touch(key.id, exchange.client);
    const stop = new AbortController();
    const head = headOf(rules.front, turn);
    const flow: Flow = { sending: undefined };
    const asking: Asking = {
      exchange,
      model,
      turn,
      head,
      answer: this.answerTo(reply, rules.front, { exchange, turn, head, flow }),
      watching,
      untouched: rules.front.name === 'chat-completions' && passesUntouched(turn),
      proxyRules: rules.proxyRules === true,
      headers: forwarded(request.headers),
      signal: stop.signal,
      flow,
    };
    const { raw } = reply;
    const hungUp = (): void => {
      if (raw.writableFinished) return;
      exchange.abandoned = true;
      stop.abort();
    };
    raw.once('close', hungUp);
    if (raw.destroyed) hungUp();
    this.running.add(stop);
    try {
      await this.attempts.run(asking);
    } finally {
      this.running.delete(stop);
      raw.off('close', hungUp);
    }
    this.finish(request);
  }

  /** Answers with an error, in OpenAI's form. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const fault = asFault(error);
    const { visit } = request;
    if (visit) visit.exchange.fault = fault;
    if (fault.code === 'internal_error') this.parts.complain(error);
    if (reply.sent || reply.raw.headersSent) reply.raw.destroy();
    else this.send(reply, visit?.exchange, fault.status, fault.body(), fault.headers);
    this.finish(request);
  }

  /** The key of a request, as the directory knows it. Throws `invalid_api_key` with what helps to mend it. */
  identify(request: FastifyRequest): KeyEntry {
    const { directory, config } = this.parts;
    const key = keyOf(request.headers);
    if (key === undefined)
      throw new Fault('invalid_api_key', 'No API key came with the request. Send it as "Authorization: Bearer <key>".');
    if (directory.stale)
      throw new Fault('store_unavailable', 'Keys cannot be checked while the database is away.', {
        headers: { 'retry-after': '5' },
      });
    const entry = directory.key(hashKey(config.secretKey, key));
    if (entry === undefined)
      throw new Fault(
        'invalid_api_key',
        `The API key ${hintOf(key)} is unknown, revoked or expired. Check it on the Keys page.`,
      );
    return entry;
  }

  /** Lets running requests finish for at most `graceMs`, then ends them with an error event; resolves when all are over. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    await this.idle(graceMs);
    for (const stop of this.running)
      stop.abort(new Fault('shutting_down', 'Callsmith is stopping; send the request again.'));
    await this.idle(1000);
    await this.client.close();
  }

  private async idle(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    while (this.running.size > 0 && performance.now() < until) await sleep(20);
  }

  private answerTo(
    reply: FastifyReply,
    front: Front,
    { exchange, turn, head, flow }: Pick<Asking, 'exchange' | 'turn' | 'head' | 'flow'>,
  ): StreamAnswer | WholeAnswer {
    const sendJson = (status: number, body: object, headers: Readonly<Record<string, string>>): void => {
      if (!reply.raw.destroyed) this.send(reply, exchange, status, body, headers);
    };
    if (!turn.stream) return new WholeAnswer(front, turn, head, sendJson);
    const stream = new StreamReply(reply.raw, {
      headers: () => {
        reply.hijack();
        exchange.status = 200;
        exchange.answeredAt ??= performance.now();
        return { ...(reply.getHeaders() as OutgoingHttpHeaders), ...eventStream, ...ownHeaders(exchange) };
      },
      heartbeat: () => front.heartbeat(head),
      pause: () => flow.sending?.pause(),
      resume: () => flow.sending?.resume(),
      pulse: this.pulse,
    });
    return new StreamAnswer(front, turn, head, stream, sendJson);
  }

  private send(
    reply: FastifyReply,
    exchange: Exchange | undefined,
    status: number,
    body: object,
    headers: Readonly<Record<string, string>>,
  ): void {
    if (exchange) {
      exchange.status = status;
      exchange.answeredAt ??= performance.now();
      void reply.headers(ownHeaders(exchange));
    }
    void reply
      .code(status)
      .headers(headers)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(body));
  }

  private finish(request: FastifyRequest): void {
    const { visit } = request;
    if (visit === undefined || visit.done) return;
    visit.done = true;
    if (visit.exchange.abandoned) visit.exchange.status = clientClosed;
    visit.watching.done();
  }

  private visitOf(request: FastifyRequest): Visit {
    if (request.visit === undefined) throw new Error('an inference route without its guard');
    return request.visit;
  }
}

/** What nginx writes for a client that hung up; never sent. */
const clientClosed = 499;

const eventStream = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/** The headers that every answer of an inference route carries. */
export function ownHeaders(exchange: Exchange): Record<string, string> {
  const added = exchange.addedMs(performance.now()) ?? performance.now() - exchange.arrivedAt;
  return {
    'x-callsmith-strategy': exchange.strategyUsed ?? 'none',
    'server-timing': `callsmith;dur=${added.toFixed(2)};desc="added time"`,
    ...(exchange.dropped.length > 0 && { 'x-callsmith-dropped-parameters': exchange.dropped.join(', ') }),
  };
}

function withModel(body: JsonValue, model: string | undefined, exchange: Exchange): JsonValue {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if (model !== undefined) body.model = model;
  if (typeof (body as JsonObject).model === 'string') exchange.asked = (body as { model: string }).model;
  return body;
}

const headOf = (front: Front, turn: Turn): AnswerHead => ({
  id: `${front.name === 'responses' ? 'resp_' : 'chatcmpl-'}${randomBytes(16).toString('hex')}`,
  model: turn.model,
  createdAt: Math.floor(Date.now() / 1000),
});
