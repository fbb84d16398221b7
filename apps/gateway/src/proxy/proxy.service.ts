import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@callsmith/config';
import type { Limiter } from '@callsmith/data/limits';
import { hashKey } from '@callsmith/data/secrets';
import type { ConfigSnapshot, KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import type { StoredResponse, StoredResponses } from '@callsmith/data/stored-responses';
import {
  type BodyLimits,
  type FindResponse,
  type InboundAdapter,
  openaiError,
  type ResponseHead,
  readRaw,
} from '@callsmith/protocols';
import { Fault, type Folded, type JsonObject, type JsonValue, type Turn } from '@callsmith/turn';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InFlight } from '../in-flight.ts';
import { Attempts, type CompletionJob, type UpstreamFlow } from './attempts/attempts.ts';
import { Breaker } from './attempts/breaker.ts';
import { passThroughRaw } from './attempts/raw-passthrough.ts';
import { keepsBodies, type ObserverFactory, Observers } from './observers/index.ts';
import { type AbortReceiver, AbortSource } from './record/abort-source.ts';
import { deferred } from './record/deferred-work.ts';
import { RequestRecord } from './record/request-record.ts';
import { apiKeyIn, hintOf } from './request/api-key.ts';
import { asFault } from './request/as-fault.ts';
import { authorizeModel } from './request/authorize-model.ts';
import { parseBody } from './request/body.ts';
import { checkConversation } from './request/check-conversation.ts';
import { clientName } from './request/client-name.ts';
import { forwarded } from './request/forwarded-headers.ts';
import { reserveLimits } from './request/reserve-limits.ts';
import { StreamResponse, WholeResponse } from './response/client-response.ts';
import { DiscardedResponse } from './response/discarded-response.ts';
import { Heartbeat } from './response/heartbeat.ts';
import { StreamReply } from './response/stream-reply.ts';
import { UpstreamClient } from './upstream/upstream-client.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request to an inference route. */
    visit: InferenceRequest | undefined;
  }
}

/** One request to an inference route, from its head to its last byte. */
export interface InferenceRequest {
  readonly exchange: RequestRecord;
  readonly observers: Observers;
  done: boolean;
}

/** What a route says about its turns. */
export interface RouteRules {
  readonly adapter: InboundAdapter;
  /** The model in the path, where it is not in the body. */
  readonly model?: string;
  /** The rules of the compatibility routes (M-1…M-6). */
  readonly proxyRules?: boolean;
}

/** A request that was answered before, to be asked again. */
export interface ReplayRequest {
  /** Its body as JSON text. */
  readonly request: string;
  readonly front: InboundAdapter;
  readonly proxyRules: boolean;
  /** With the settings that it is to go through. */
  readonly model: ModelEntry;
  /** Whose request it was: kept responses are found by it. */
  readonly key: Pick<KeyEntry, 'id'>;
}

/** What the proxy is made with. */
export interface ProxyParts {
  readonly config: Pick<Config, 'secretKey' | 'conversations'> & Partial<Pick<Config, 'previousSecretKey'>>;
  readonly snapshot: ConfigSnapshot;
  readonly limiter: Pick<Limiter, 'admit'>;
  readonly observerFactories: readonly ObserverFactory[];
  /** Absent: nothing is kept of `/v1/responses`. */
  readonly storedResponses?: Pick<StoredResponses, 'save' | 'find' | 'remove'>;
  readonly client?: UpstreamClient;
  readonly heartbeat?: Heartbeat;
  readonly breaker?: Breaker;
  readonly reportError: (error: unknown) => void;
}

const bodyLimits: BodyLimits = { maxDepth: 200, maxMessages: 10_000, maxTools: 2000 };

/** The request path, top to bottom. */
export class ProxyService {
  readonly client: UpstreamClient;
  readonly heartbeat: Heartbeat;
  readonly breaker: Breaker;
  private readonly attempts: Attempts;
  /** Requests that run now, by what stops them. */
  private readonly stops = new InFlight<AbortSource>();
  private stopping = false;
  /** Aborted when the gateway begins to stop: what nobody waits for ends at once. */
  private readonly leaving = new AbortController();

  constructor(private readonly parts: ProxyParts) {
    this.client = parts.client ?? new UpstreamClient();
    this.heartbeat = parts.heartbeat ?? new Heartbeat();
    this.breaker = parts.breaker ?? new Breaker();
    this.attempts = new Attempts(this.client, this.breaker, parts.snapshot);
  }

  get streams(): number {
    return this.heartbeat.size;
  }

  /** The head of a request has come: whose is it? Throws what the client did wrong; the visit is begun all the same. */
  begin(request: FastifyRequest): void {
    const exchange = new RequestRecord(request.id, request.routeOptions.url ?? '', clientName(request.headers));
    request.visit = {
      exchange,
      observers: new Observers(this.parts.observerFactories, exchange, this.parts.reportError),
      done: false,
    };
    if (this.stopping) throw new Fault('shutting_down', undefined, { headers: { 'retry-after': '5' } });
    exchange.key = this.identify(request);
  }

  /** A turn: identify, read, decide, choose, shape, send, answer. The first of these is `arrive`, the last four are `attempts`. */
  async serve(request: FastifyRequest, reply: FastifyReply, rules: RouteRules): Promise<void> {
    const { exchange, observers } = this.visitOf(request);
    const { adapter } = rules;
    const key = exchange.key as KeyEntry;
    const body = parseBody(request.body as Buffer | undefined);
    const asked = await this.readTurn(withModel(body, rules.model, exchange), adapter, exchange, key);
    const model = authorizeModel(key, asked.model, this.parts.snapshot);
    exchange.model = model;
    const turn = this.checked(asked, model, exchange);
    if (keepsBodies(exchange)) exchange.clientBody = request.body as Buffer;
    request.body = undefined;
    this.parts.snapshot.touch(key.id, exchange.client);
    const settle = await reserveLimits(this.parts.limiter, key, turn);
    const head = headOf(adapter, turn);
    const flow: UpstreamFlow = { sending: undefined };
    const store = this.storing(adapter, asked, head, key);
    await this.running(request, reply, (signal) =>
      this.attempts.run({
        exchange,
        model,
        turn,
        adapter,
        head,
        response: this.answerTo(request, reply, adapter, { exchange, turn, head, flow }),
        observers,
        passthrough: adapter.passthrough?.applies(turn) ? adapter.passthrough : undefined,
        messagePath: (message) => adapter.messagePath(turn, message),
        proxyRules: rules.proxyRules === true,
        headers: forwarded(request.headers),
        signal,
        flow,
        ...(store && { store }),
      }),
    ).finally(() => settle?.(exchange.summary));
    this.finish(request);
  }

  /**
   * A turn as `serve` takes it, but for nobody: no key is asked for or charged, no observer sees it, its answer goes
   * nowhere and is not kept. How it came out stands in `exchange`. Throws what is wrong with the request.
   */
  async replay(
    exchange: RequestRecord,
    { request, front, proxyRules, model, key }: ReplayRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const body = withModel(parseBody(Buffer.from(request)), model.name, exchange);
    const turn = await this.readTurn(body, front, exchange, key);
    exchange.model = model;
    // With a breaker of its own: what fails by another strategy must not have the upstream left alone by those at work.
    const attempts = new Attempts(this.client, new Breaker(), this.parts.snapshot);
    await attempts.run({
      exchange,
      model,
      turn,
      adapter: front,
      head: headOf(front, turn),
      response: new DiscardedResponse(turn),
      observers: new Observers([], exchange, this.parts.reportError),
      passthrough: undefined,
      messagePath: (message) => front.messagePath(turn, message),
      proxyRules,
      headers: {},
      signal: AbortSignal.any([signal, this.leaving.signal]),
      flow: { sending: undefined },
    });
  }

  /** A request of an API that is passed through as it is, but for the model's name. */
  async pass(request: FastifyRequest, reply: FastifyReply, path: string): Promise<void> {
    const { exchange } = this.visitOf(request);
    const key = exchange.key as KeyEntry;
    const asked = readRaw(parseBody(request.body as Buffer | undefined), bodyLimits);
    const { body } = asked;
    exchange.requestedModel = asked.model;
    exchange.dropped = asked.dropped;
    const model = authorizeModel(key, asked.model, this.parts.snapshot);
    exchange.model = model;
    exchange.streamed = body.stream === true;
    this.parts.snapshot.touch(key.id, exchange.client);
    const settle = await reserveLimits(this.parts.limiter, key, { body, writes: path !== '/embeddings' });
    await this.running(request, reply, (signal) =>
      passThroughRaw({
        exchange,
        model,
        client: this.client,
        breaker: this.breaker,
        reply,
        path,
        body,
        headers: forwarded(request.headers),
        answerHeaders: () => ownHeaders(exchange),
        signal,
      }),
    ).finally(() => settle?.(exchange.summary));
    this.finish(request);
  }

  /** A kept response of `/v1/responses`, for the key that asked for it. Throws `response_not_found`. */
  async response(request: FastifyRequest): Promise<JsonObject> {
    const { id } = request.params as { id: string };
    return (await this.storedOf(id, this.identify(request))).response;
  }

  /** Forgets a kept response. Throws `response_not_found`. */
  async forgetResponse(request: FastifyRequest): Promise<JsonObject> {
    const { id } = request.params as { id: string };
    if (!(await this.parts.storedResponses?.remove({ id, keyId: this.identify(request).id }))) throw notStored(id);
    return { id, object: 'response', deleted: true };
  }

  /** Answers with an error, in the form of the route's API. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const fault = asFault(error);
    const { visit } = request;
    if (visit) visit.exchange.fault = fault;
    if (fault.code === 'internal_error') this.parts.reportError(error);
    if (reply.sent || reply.raw.headersSent) reply.raw.destroy();
    else this.sendFault(request, reply, fault);
    this.finish(request);
  }

  /** The key of a request, as the config snapshot knows it. Throws `invalid_api_key` with what helps to mend it. */
  identify(request: FastifyRequest): KeyEntry {
    const { snapshot } = this.parts;
    const key = apiKeyIn(request.headers);
    if (key === undefined)
      throw new Fault('invalid_api_key', 'The request has no API key. Send it as "Authorization: Bearer <key>".');
    if (snapshot.stale)
      throw new Fault('store_unavailable', 'API keys cannot be checked while the database is unreachable.', {
        headers: { 'retry-after': '5' },
      });
    const entry = this.entryOf(key);
    if (entry === undefined)
      throw new Fault(
        'invalid_api_key',
        `The API key ${hintOf(key)} is unknown, revoked or expired. Check it on the Keys page.`,
      );
    return entry;
  }

  /** A key as it is stored; one stored under the former SECRET_KEY is taken over. */
  private entryOf(key: string): KeyEntry | undefined {
    const { snapshot, config } = this.parts;
    const hash = hashKey(config.secretKey, key);
    const entry = snapshot.key(hash);
    if (entry !== undefined || config.previousSecretKey === undefined) return entry;
    const former = snapshot.key(hashKey(config.previousSecretKey, key));
    if (former) snapshot.rehash(former.id, hash);
    return former;
  }

  /** Lets running requests finish for at most `graceMs`, then ends them with an error event; resolves when all are over. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    this.leaving.abort(stopped());
    await this.idle(graceMs);
    for (const stop of this.stops.all()) stop.abort(stopped());
    await this.idle(1000);
    deferred.flush();
    this.client.close();
  }

  private async idle(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    while (this.stops.size > 0 && performance.now() < until) await sleep(20);
  }

  /** Runs a request so that the client's hanging up, or the gateway's stop, ends it at once. */
  private async running(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (signal: AbortReceiver) => Promise<void>,
  ): Promise<void> {
    const { raw } = reply;
    const { exchange } = this.visitOf(request);
    const stop = new AbortSource();
    const hungUp = (): void => {
      if (raw.writableFinished) return;
      exchange.clientClosed = true;
      stop.abort();
    };
    raw.once('close', hungUp);
    if (raw.destroyed) hungUp();
    const place = this.stops.add(stop);
    try {
      await work(stop);
    } catch (error) {
      // Fastify no longer looks at what goes wrong once a stream is out; what is half out must not look whole.
      if (!reply.sent) throw error;
      this.refuse(request, reply, error);
    } finally {
      this.stops.remove(place);
      raw.off('close', hungUp);
    }
  }

  /** A body as a turn, with all that it refers to. Throws what is wrong with it. */
  private async readTurn(
    body: JsonValue,
    front: InboundAdapter,
    exchange: RequestRecord,
    key: Pick<KeyEntry, 'id'>,
  ): Promise<Turn> {
    await front.storedState?.resolveReferences(body, bodyLimits, this.findFor(key));
    const turn = await this.continued(front.parseRequest(body, bodyLimits), front, key);
    exchange.turn = turn;
    exchange.streamed = turn.stream;
    return turn;
  }

  /** A turn whose conversation may go on, with what its model is told where it went too far. */
  private checked(asked: Turn, model: ModelEntry, exchange: RequestRecord): Turn {
    const { turn, nudge } = checkConversation(asked, model, this.parts.config.conversations);
    if (nudge === undefined) return turn;
    exchange.turn = turn;
    exchange.nudge = nudge;
    exchange.summary.add({ type: 'note', choice: 0, note: { stage: 'request', detail: `nudged: ${nudge}` } });
    return turn;
  }

  private findFor(key: Pick<KeyEntry, 'id'>): FindResponse {
    return async (id) => this.parts.storedResponses?.find({ id, keyId: key.id });
  }

  /** A turn that goes on from a stored response has that one's conversation before its own. */
  private async continued(turn: Turn, { storedState }: InboundAdapter, key: Pick<KeyEntry, 'id'>): Promise<Turn> {
    const previous = storedState?.previousId(turn);
    if (storedState === undefined || previous === undefined) return turn;
    return storedState.continueFrom(turn, (await this.storedOf(previous, key)).messages);
  }

  private async storedOf(id: string, key: Pick<KeyEntry, 'id'>): Promise<StoredResponse> {
    const stored = await this.findFor(key)(id);
    if (stored === undefined) throw notStored(id);
    return stored;
  }

  /** What stores a good answer, where the client did not forbid it. */
  private storing(
    front: InboundAdapter,
    turn: Turn,
    head: ResponseHead,
    key: KeyEntry,
  ): ((folded: Folded) => void) | undefined {
    const { storedResponses } = this.parts;
    const { storedState } = front;
    if (storedResponses === undefined || !storedState?.mayStore(turn)) return undefined;
    return (folded) =>
      storedResponses.save(
        { id: head.id, keyId: key.id },
        { previousId: storedState.previousId(turn), model: turn.model },
        { messages: storedState.conversationAfter(turn, folded), response: front.wholeResponse(turn, head, folded) },
      );
  }

  private answerTo(
    request: FastifyRequest,
    reply: FastifyReply,
    front: InboundAdapter,
    { exchange, turn, head, flow }: Pick<CompletionJob, 'exchange' | 'turn' | 'head' | 'flow'>,
  ): StreamResponse | WholeResponse {
    const sendFault = (fault: Fault): void => {
      if (!reply.raw.destroyed) this.sendFault(request, reply, fault);
    };
    const sendWhole = (body: object): void => {
      if (!reply.raw.destroyed) this.send(reply, exchange, 200, body, {});
    };
    if (!turn.stream)
      return new WholeResponse(front, turn, head, () => exchange.delivered.whole(), sendWhole, sendFault);
    const stream = new StreamReply(reply.raw, {
      headers: () => {
        reply.hijack();
        exchange.status = 200;
        exchange.firstResponseAt ??= performance.now();
        return { ...(reply.getHeaders() as OutgoingHttpHeaders), ...eventStream, ...ownHeaders(exchange) };
      },
      heartbeat: () => front.heartbeat(head),
      pause: () => flow.sending?.pause(),
      resume: () => flow.sending?.resume(),
      pulse: this.heartbeat,
    });
    return new StreamResponse(front, turn, head, stream, sendFault);
  }

  /** An error as the API of the request's route says it. */
  private sendFault(request: FastifyRequest, reply: FastifyReply, fault: Fault): void {
    const { errorResponse = openaiError } = request.routeOptions.config.adapter ?? {};
    const { status, headers, body } = errorResponse(fault, request.id);
    this.send(reply, request.visit?.exchange, status, body, headers);
  }

  private send(
    reply: FastifyReply,
    exchange: RequestRecord | undefined,
    status: number,
    body: object,
    headers: Readonly<Record<string, string>>,
  ): void {
    if (exchange) {
      exchange.status = status;
      exchange.firstResponseAt ??= performance.now();
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
    const { exchange, observers } = visit;
    if (exchange.clientClosed) exchange.status = clientClosed;
    exchange.endedAt = performance.now();
    deferred.add(() => observers.done());
  }

  private visitOf(request: FastifyRequest): InferenceRequest {
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

/** Our own added time as a header's value. */
export const serverTiming = (ms: number): string => `callsmith;dur=${ms.toFixed(2)};desc="added time"`;

/** The headers that every answer of an inference route carries. */
function ownHeaders(exchange: RequestRecord): Record<string, string> {
  const added = exchange.overheadMs() ?? performance.now() - exchange.arrivedAt;
  return {
    'x-callsmith-strategy': exchange.strategyUsed ?? 'none',
    'server-timing': serverTiming(added),
    ...(exchange.nudge !== undefined && { 'x-callsmith-nudge': exchange.nudge }),
    ...(exchange.dropped.length > 0 && { 'x-callsmith-dropped-parameters': inHeader(exchange.dropped) }),
  };
}

const longestHeader = 2000;

/** Names for a header: some are the client's own words, and it may have sent many. */
function inHeader(names: readonly string[]): string {
  const text = names.join(', ').replace(/[^\x20-\x7e]/g, '?');
  return text.length > longestHeader ? `${text.slice(0, longestHeader)}...` : text;
}

function withModel(body: JsonValue, model: string | undefined, exchange: RequestRecord): JsonValue {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if (model !== undefined) body.model = model;
  if (typeof (body as JsonObject).model === 'string') exchange.requestedModel = (body as { model: string }).model;
  return body;
}

const notStored = (id: string): Fault =>
  new Fault('response_not_found', `There is no stored response ${JSON.stringify(id.slice(0, 100))} for this key.`, {
    param: 'previous_response_id',
  });

const stopped = (): Fault =>
  new Fault('shutting_down', 'Callsmith is shutting down; send the request again.', {
    headers: { 'retry-after': '5' },
  });

const headOf = (front: InboundAdapter, turn: Turn): ResponseHead => ({
  id: front.idPrefix + randomUUID().replaceAll('-', ''),
  model: turn.model,
  createdAt: Math.floor(Date.now() / 1000),
});
