import type { AgentSettings, Config } from '@callsmith/config';
import type { Limiter } from '@callsmith/data/limits';
import type { ConfigSnapshot, KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import { checkChoice, type InboundAdapter, type ListQuery, readRaw } from '@callsmith/protocols';
import { yieldToOthers } from '@callsmith/stream';
import { Fault, isObject, type JsonObject, type JsonValue, type Turn } from '@callsmith/turn';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Agent } from '../agent/agent.ts';
import { findingOf } from '../agent/call-loops.ts';
import { type AgentTurn, offerTools } from '../agent/offer-tools.ts';
import { agentHeader, requestedServers } from '../agent/requested-servers.ts';
import { StoredRounds } from '../agent/stored-rounds.ts';
import type { ToolHost } from '../agent/tool-host.ts';
import { Attempts } from '../attempts/attempts.ts';
import { Breaker } from '../attempts/breaker.ts';
import { passThroughRaw } from '../attempts/raw-passthrough.ts';
import { keepsBodies, type ObserverFactory } from '../observers/index.ts';
import { newResponseHead } from '../record/response-head.ts';
import { withoutTokens } from '../record/token-lists.ts';
import { Heartbeat } from '../response/heartbeat.ts';
import { RawResponse } from '../response/raw-response.ts';
import { responseHeaders } from '../response/response-headers.ts';
import { responseTo } from '../response/response-to.ts';
import { adapterOf } from '../response/send-json.ts';
import type { CompletionJob, StoreAnswer } from '../upstream/completion-job.ts';
import { UpstreamClient } from '../upstream/upstream-client.ts';
import { authorizeModel, delegateFor, fallbacksFor } from './authorize-model.ts';
import { checkMembers, isLongBody, parseBody, parseLongBody, turnBounds } from './body.ts';
import { checkConversation } from './check-conversation.ts';
import { identifyKey } from './identify-key.ts';
import { inferenceOf } from './inference-request.ts';
import { applyPathParameters, bodyLimits, type PathParameters, readTurn, turnIn } from './read-turn.ts';
import { ReasoningMemory } from './reasoning-memory.ts';
import { RepeatedTools } from './repeated-tools.ts';
import { RequestLifecycle } from './request-lifecycle.ts';
import { refuseSpent, reserveLimits, reserveTry } from './reserve-limits.ts';
import { ResponseStore } from './response-store.ts';

/** What a route determines about its turns. */
export interface RouteRules {
  readonly adapter: InboundAdapter;
  /** Members that the path has instead of the body. */
  readonly addressed?: PathParameters;
  /** The rules of the compatibility routes (M-1…M-6). */
  readonly proxyRules?: boolean;
}

/** The parts of a `ProxyService`. */
export interface ProxyParts {
  readonly config: Pick<Config, 'secretKey' | 'conversations'> &
    Partial<Pick<Config, 'previousSecretKey' | 'answers' | 'currency' | 'agent'>>;
  readonly snapshot: ConfigSnapshot;
  readonly limiter: Pick<Limiter, 'reserve' | 'ratesLeft' | 'spent'>;
  readonly observerFactories: readonly ObserverFactory[];
  /** The store of `/v1/responses`; absent: nothing is stored. */
  readonly storedResponses?: ConstructorParameters<typeof ResponseStore>[0];
  /** Runs the tools of MCP servers; absent: there is no agent mode. */
  readonly tools?: ToolHost;
  /**
   * Stores the rounds of agent mode that the client does not get, and reasoning that it may leave out; absent: nothing
   * is stored.
   */
  readonly storedRounds?: ConstructorParameters<typeof StoredRounds>[0] &
    ConstructorParameters<typeof ReasoningMemory>[0];
  readonly client?: UpstreamClient;
  readonly heartbeat?: Heartbeat;
  readonly breaker?: Breaker;
  readonly reportError: (error: unknown) => void;
}

/** The limits of agent mode unless settings say otherwise. */
const defaultAgentSettings: AgentSettings = {
  rounds: 8,
  toolMs: 60_000,
  totalMs: 600_000,
  resultLength: 64 * 1024,
  tokens: 0,
  spend: 0,
};

const noBody = Buffer.alloc(0);
/** A shorter body, in bytes, cannot have too many members. */
const longBytes = 2 * turnBounds.members;

/** The request path: what happens to a request, from its head to the end of its response. */
export class ProxyService {
  readonly client: UpstreamClient;
  readonly breaker: Breaker;
  readonly responses: ResponseStore;
  readonly lifecycle: RequestLifecycle;
  private readonly heartbeat: Heartbeat;
  private readonly attempts: Attempts;
  private readonly storedRounds: StoredRounds;
  private readonly reasoning: ReasoningMemory;
  private readonly tools = new RepeatedTools();

  constructor(private readonly parts: ProxyParts) {
    this.client = parts.client ?? new UpstreamClient();
    this.heartbeat = parts.heartbeat ?? new Heartbeat();
    this.breaker = parts.breaker ?? new Breaker();
    this.responses = new ResponseStore(parts.storedResponses);
    this.lifecycle = new RequestLifecycle(parts.observerFactories, parts.reportError);
    this.storedRounds = new StoredRounds(parts.storedRounds);
    this.reasoning = new ReasoningMemory(parts.storedRounds, parts.reportError);
    this.attempts = new Attempts(this.client, this.breaker, parts.snapshot);
  }

  get streams(): number {
    return this.heartbeat.size;
  }

  /**
   * Begins a request whose head has arrived: identifies its key and checks its budgets. Throws a `Fault` if the request
   * is refused; its record has begun by then. Returns a promise only if the key has budgets, which may have to be
   * looked up.
   */
  begin(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const info = this.lifecycle.begin(request).request;
    const key = this.identify(request);
    info.key = key;
    return refuseSpent(this.countedBy(key))?.catch((refused: unknown) => {
      const adapter = adapterOf(request);
      if (adapter) this.sendRates(reply, key, adapter);
      throw refused;
    });
  }

  /** The key of a request. Throws `invalid_api_key` with advice how to correct it. */
  identify(request: FastifyRequest): KeyEntry {
    return identifyKey(request.headers, this.parts.snapshot, this.parts.config);
  }

  /**
   * Serves a turn: reads it, authorizes it, reserves limits, and makes as many attempts as it takes. The key was identified
   * in `begin`. Throws a `Fault` for whatever refuses the request.
   */
  async serve(request: FastifyRequest, reply: FastifyReply, rules: RouteRules): Promise<void> {
    const { adapter } = rules;
    const { record } = inferenceOf(request);
    const info = record.request;
    const key = info.key as KeyEntry;
    const { turn, model, agent } = await this.acceptTurn(request, rules, key);
    this.parts.snapshot.touch(key.id, info.client, model);
    const counted = { model, ...this.countedBy(key) };
    const finishReservation = await reserveLimits(counted, turn).finally(() => this.sendRates(reply, key, adapter));
    const finishTries: (() => void)[] = [];
    const reserveAnotherTry = async (again: Turn): Promise<boolean> => {
      const finish = await reserveTry(counted, again);
      if (finish) finishTries.push(finish);
      return finish !== false;
    };
    const head = newResponseHead(adapter, turn, request.headers);
    info.responseId = head.id;
    await this.lifecycle.run(request, reply, (signal) => {
      const job = this.jobFor(request, reply, { rules, key, turn, model, head, signal, reserveTry: reserveAnotherTry });
      return this.answer(job, agent).finally(() => {
        for (const finish of finishTries) finish();
        finishReservation?.(record.response, record.attempts.model);
      });
    });
  }

  /**
   * Reads the turn of a request, with the tools of agent mode and the reasoning that the client left out, and checks that
   * its key may use the model and that its conversation may continue. Throws a `Fault` if not.
   */
  private async acceptTurn(
    request: FastifyRequest,
    { adapter, addressed, proxyRules }: RouteRules,
    key: KeyEntry,
  ): Promise<{ readonly turn: Turn; readonly model: ModelEntry; readonly agent: AgentTurn | undefined }> {
    const { record } = inferenceOf(request);
    const info = record.request;
    const bytes = request.body as Buffer | undefined;
    const parse = (one: Buffer | undefined): JsonValue => this.tools.parse(one, key);
    const requested = await readTurn(bytes, { adapter, addressed, key, store: this.responses, parse }, info);
    const model = authorizeModel(key, requested.model, this.parts.snapshot);
    info.model = model;
    if (isLongBody(bytes)) await yieldToOthers();
    const servers = proxyRules ? undefined : requestedServers(request.headers[agentHeader], requested, model);
    const agent = servers && (await this.withTools(requested, servers, key));
    const offered = agent?.turn ?? requested;
    const complete = model.keepsReasoning.value ? await this.withReasoning(offered, model, record) : offered;
    const turn = this.checked(complete, model, record);
    if (turn !== requested) info.turn = turn;
    checkChoice(turn.toolChoice, turn.tools);
    if (keepsBodies(info)) info.body = bytes;
    request.body = undefined;
    return { turn, model, agent };
  }

  /**
   * The job of an accepted turn. One literal without spreads: V8 makes a hash table of a copy with some twenty members.
   */
  private jobFor(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      rules: { adapter, proxyRules },
      key,
      turn,
      model,
      head,
      signal,
      reserveTry,
    }: Pick<CompletionJob, 'turn' | 'model' | 'head' | 'signal'> &
      Required<Pick<CompletionJob, 'reserveTry'>> & { readonly rules: RouteRules; readonly key: KeyEntry },
  ): CompletionJob {
    const { record, observers } = inferenceOf(request);
    const { snapshot, config } = this.parts;
    return {
      record,
      log: record.attempts,
      timing: record.upstream,
      model,
      turn,
      adapter,
      head,
      response: responseTo(reply, turn, { adapter, head, record, heartbeat: this.heartbeat }),
      observers,
      passthrough: adapter.passthrough?.applies(turn) ? adapter.passthrough : undefined,
      messagePath: (message) => adapter.messagePath(turn, message),
      bounds: config.answers,
      proxyRules: proxyRules === true,
      headers: record.request.traceHeaders,
      fallbacks: fallbacksFor(key, model, snapshot),
      delegate: delegateFor(key, model, snapshot),
      store: both(this.responses.saverFor(key, turn, { adapter, head }), this.reasoning.keeperFor(key, model)),
      signal,
      reserveTry,
    };
  }

  /**
   * Counts the tokens of a prompt; the result is in the form of its API. This is no model request: it is not recorded,
   * and no limit counts it.
   */
  async count(request: FastifyRequest, adapter: InboundAdapter, addressed?: PathParameters): Promise<JsonObject> {
    const { counting } = adapter;
    if (counting === undefined) throw new Error(`${adapter.path} counts nothing`);
    const key = this.identify(request);
    const bytes = request.body as Buffer | undefined;
    const body = isLongBody(bytes) ? await parseLongBody(bytes) : parseBody(bytes);
    if (isObject(body) && addressed) applyPathParameters(body, addressed);
    const { storedState } = adapter;
    const turn = await turnIn(body, counting.parseRequest, { storedState, key, store: this.responses });
    const model = authorizeModel(key, turn.model, this.parts.snapshot);
    const messagePath = (message: number): string => adapter.messagePath(turn, message);
    return counting.response(await this.attempts.count({ adapter, model, turn, messagePath }));
  }

  /** Serves a request of an API that passes through unchanged, except for the model's name. */
  async pass(request: FastifyRequest, reply: FastifyReply, path: string): Promise<void> {
    const { record, observers } = inferenceOf(request);
    const info = record.request;
    const key = info.key as KeyEntry;
    const rawBody = request.body as Buffer | undefined;
    const { bytes, lists } = await withoutTokens(rawBody ?? noBody);
    if (bytes.length > longBytes) await checkMembers(bytes, turnBounds);
    const requested = readRaw(isLongBody(bytes) ? await parseLongBody(bytes) : parseBody(bytes), bodyLimits);
    const { body } = requested;
    request.body = undefined;
    info.requestedModel = requested.model;
    const model = authorizeModel(key, requested.model, this.parts.snapshot);
    info.model = model;
    info.streamed = body.stream === true;
    info.parameters = body;
    this.parts.snapshot.touch(key.id, info.client, model);
    const finishReservation = await reserveLimits(
      { model, ...this.countedBy(key) },
      {
        body,
        tokens: lists.tokens,
        writes: path === '/completions',
      },
    );
    await this.lifecycle.run(request, reply, (signal) =>
      passThroughRaw(
        {
          log: record.attempts,
          timing: record.upstream,
          model,
          response: new RawResponse(reply, record.response, () => responseHeaders(record)),
          path,
          body,
          lists,
          dropped: requested.dropped,
          headers: info.traceHeaders,
          observers,
          signal,
        },
        this,
      ).finally(() => finishReservation?.(record.response)),
    );
  }

  /** A stored response of the request's key. Throws `response_not_found`. */
  async response(request: FastifyRequest): Promise<JsonObject> {
    const { id } = request.params as { id: string };
    if ((request.query as ListQuery).stream === 'true')
      throw new Fault(
        'invalid_parameter',
        'stream: a stored response cannot be streamed again. Leave this parameter out.',
        {
          param: 'stream',
        },
      );
    return (await this.responses.get(id, this.identify(request))).response;
  }

  /** The input items of a stored response. Throws `response_not_found` and `invalid_parameter`. */
  async responseInput(request: FastifyRequest, { path, storedState }: InboundAdapter): Promise<JsonObject> {
    if (storedState === undefined) throw new Error(`${path} stores nothing`);
    const { id } = request.params as { id: string };
    const stored = await this.responses.get(id, this.identify(request));
    return storedState.inputItems(stored, request.query as ListQuery);
  }

  /** Refuses to cancel a response, as none runs in the background. Throws `response_not_found` if it is not stored. */
  async cancelResponse(request: FastifyRequest): Promise<never> {
    const { id } = request.params as { id: string };
    await this.responses.get(id, this.identify(request));
    throw new Fault(
      'invalid_parameter',
      'Only background responses can be cancelled, and background mode is not supported: this response is already complete.',
      { param: 'id' },
    );
  }

  /** Deletes a stored response. Throws `response_not_found`. */
  async forgetResponse(request: FastifyRequest): Promise<JsonObject> {
    const { id } = request.params as { id: string };
    return this.responses.remove(id, this.identify(request));
  }

  /** Answers with an error, in the form of the route's API. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    this.lifecycle.refuse(request, reply, error);
  }

  /** Lets running requests finish for at most `graceMs`, then ends them with an error event; resolves when all are over. */
  async stop(graceMs: number): Promise<void> {
    await this.lifecycle.stop(graceMs);
    this.client.close();
  }

  /** Adds headers with what remains of the key's rate limits; to refusals as well. */
  private sendRates(reply: FastifyReply, key: KeyEntry, { rateLimitHeaders }: InboundAdapter): void {
    if (key.requestsPerMinute === undefined && key.tokensPerMinute === undefined) return;
    void reply.headers(rateLimitHeaders(this.parts.limiter.ratesLeft(key)));
  }

  /**
   * Adds the tools of the requested MCP servers, and the messages of earlier rounds that the client did not get.
   * Undefined: the key may use none of the tools.
   */
  private async withTools(
    requested: Turn,
    servers: NonNullable<ReturnType<typeof requestedServers>>,
    key: KeyEntry,
  ): Promise<AgentTurn | undefined> {
    const agent = await offerTools(requested, servers, { host: this.parts.tools, key });
    if (agent === undefined) return undefined;
    const messages = await this.storedRounds.restore(key, agent.turn.messages);
    return { ...agent, turn: { ...agent.turn, messages } };
  }

  /** Adds the reasoning of earlier responses that the client left out. */
  private async withReasoning(
    turn: Turn,
    model: ModelEntry,
    { request: { key }, response }: ReturnType<typeof inferenceOf>['record'],
  ): Promise<Turn> {
    if (key === undefined) return turn;
    const messages = await this.reasoning.recall(key, model, turn.messages);
    if (messages === turn.messages) return turn;
    const count = messages.filter((message, at) => message !== turn.messages[at]).length;
    response.count({ type: 'note', choice: 0, note: { stage: 'request', detail: `reasoning given back: ${count}` } });
    return { ...turn, messages };
  }

  /** Runs a job: once, or in agent mode round after round. */
  private answer(job: CompletionJob, agent: AgentTurn | undefined): Promise<void> {
    const { tools: host, config } = this.parts;
    const { key } = job.record.request;
    if (agent === undefined || host === undefined || key === undefined) return this.attempts.run(job);
    const { attempts, storedRounds: kept } = this;
    const limits = config.agent ?? defaultAgentSettings;
    return new Agent(job, { attempts, host, key, hosted: agent.hosted, limits, kept }).run();
  }

  private countedBy(key: KeyEntry) {
    const { limiter, config } = this.parts;
    return { limiter, key, currency: config.currency ?? 'USD' };
  }

  /**
   * Checks that the conversation may continue. Adds a message to the model if it should stop calling; throws a
   * `Fault` if it must.
   */
  private checked(
    requested: Turn,
    model: ModelEntry,
    { request, response }: ReturnType<typeof inferenceOf>['record'],
  ): Turn {
    const { turn, nudge, loop } = checkConversation(requested, model, this.parts.config.conversations);
    if (loop) response.count({ type: 'note', choice: 0, note: findingOf(loop) });
    if (nudge === undefined) return turn;
    request.turn = turn;
    request.nudge = nudge;
    response.count({ type: 'note', choice: 0, note: { stage: 'request', detail: `nudged: ${nudge}` } });
    return turn;
  }
}

/** Stores a response with both functions, or with the one that is defined. */
function both(one: StoreAnswer | undefined, other: StoreAnswer | undefined): StoreAnswer | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return async (...answer) => {
    await Promise.all([one(...answer), other(...answer)]);
  };
}
