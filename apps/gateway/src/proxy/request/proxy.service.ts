import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentSettings, Config } from '@callsmith/config';
import type { Limiter } from '@callsmith/data/limits';
import type { ConfigSnapshot, KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import { checkChoice, type InboundAdapter, type ListQuery, readRaw } from '@callsmith/protocols';
import { Fault, isObject, type JsonObject, type Turn } from '@callsmith/turn';
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
import { checkMembers, parseBody, turnBounds } from './body.ts';
import { checkConversation } from './check-conversation.ts';
import { identifyKey } from './identify-key.ts';
import { inferenceOf } from './inference-request.ts';
import { applyPathParameters, bodyLimits, longBody, type PathParameters, readTurn, turnIn } from './read-turn.ts';
import { ReasoningMemory } from './reasoning-memory.ts';
import { RequestLifecycle } from './request-lifecycle.ts';
import { refuseSpent, reserveLimits, reserveTry } from './reserve-limits.ts';
import { ResponseStore } from './response-store.ts';

/** What a route says about its turns. */
export interface RouteRules {
  readonly adapter: InboundAdapter;
  /** What the address says, where it is not in the body. */
  readonly addressed?: PathParameters;
  /** The rules of the compatibility routes (M-1…M-6). */
  readonly proxyRules?: boolean;
}

/** What the proxy is made with. */
export interface ProxyParts {
  readonly config: Pick<Config, 'secretKey' | 'conversations'> &
    Partial<Pick<Config, 'previousSecretKey' | 'answers' | 'currency' | 'agent'>>;
  readonly snapshot: ConfigSnapshot;
  readonly limiter: Pick<Limiter, 'reserve' | 'ratesLeft' | 'spent'>;
  readonly observerFactories: readonly ObserverFactory[];
  /** Absent: nothing is stored of `/v1/responses`. */
  readonly storedResponses?: ConstructorParameters<typeof ResponseStore>[0];
  /** Where tools of MCP servers run in agent mode; absent: there is none. */
  readonly tools?: ToolHost;
  /** What of agent mode's rounds the client does not see, and reasoning that it may leave out; absent: nothing is kept. */
  readonly storedRounds?: ConstructorParameters<typeof StoredRounds>[0] &
    ConstructorParameters<typeof ReasoningMemory>[0];
  readonly client?: UpstreamClient;
  readonly heartbeat?: Heartbeat;
  readonly breaker?: Breaker;
  readonly reportError: (error: unknown) => void;
}

/** The bounds of agent mode where no settings are given. */
const defaultAgentSettings: AgentSettings = {
  rounds: 8,
  toolMs: 60_000,
  totalMs: 600_000,
  resultLength: 64 * 1024,
  tokens: 0,
  spend: 0,
};

const noBody = Buffer.alloc(0);
/** Shorter bodies cannot have too many members. */
const longBytes = 2 * turnBounds.members;

/** The request path, top to bottom. */
export class ProxyService {
  readonly client: UpstreamClient;
  readonly breaker: Breaker;
  readonly responses: ResponseStore;
  readonly lifecycle: RequestLifecycle;
  private readonly heartbeat: Heartbeat;
  private readonly attempts: Attempts;
  private readonly storedRounds: StoredRounds;
  private readonly reasoning: ReasoningMemory;

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
   * The head of a request has come: whose is it, and may it go on? Throws what the client did wrong; its record has begun
   * all the same. A key with limits is waited for.
   */
  begin(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const info = this.lifecycle.begin(request).request;
    const key = this.identify(request);
    info.key = key;
    return refuseSpent(this.countedBy(key))?.catch((refused: unknown) => {
      const adapter = adapterOf(request);
      if (adapter) this.tellRates(reply, key, adapter);
      throw refused;
    });
  }

  /** The key of a request. Throws `invalid_api_key` with what helps to correct it. */
  identify(request: FastifyRequest): KeyEntry {
    return identifyKey(request.headers, this.parts.snapshot, this.parts.config);
  }

  /** A turn: read, authorize, reserve, then as many attempts as it takes. The key was identified when the head came. */
  async serve(request: FastifyRequest, reply: FastifyReply, rules: RouteRules): Promise<void> {
    const { record, observers } = inferenceOf(request);
    const { adapter } = rules;
    const info = record.request;
    const key = info.key as KeyEntry;
    const bytes = request.body as Buffer | undefined;
    const asked = await readTurn(bytes, { adapter, addressed: rules.addressed, key, store: this.responses }, info);
    const model = authorizeModel(key, asked.model, this.parts.snapshot);
    info.model = model;
    if (bytes !== undefined && bytes.length > longBody) await nextTurn();
    const servers = rules.proxyRules ? undefined : requestedServers(request.headers[agentHeader], asked, model);
    const agent = servers && (await this.withTools(asked, servers, key));
    const offered = agent?.turn ?? asked;
    const whole = model.keepsReasoning.value ? await this.withReasoning(offered, model, record) : offered;
    const turn = this.checked(whole, model, record);
    if (turn !== asked) info.turn = turn;
    checkChoice(turn.toolChoice, turn.tools);
    if (keepsBodies(info)) info.body = bytes;
    request.body = undefined;
    this.parts.snapshot.touch(key.id, info.client, model);
    const finishReservation = await reserveLimits({ ...this.countedBy(key), model }, turn).finally(() =>
      this.tellRates(reply, key, adapter),
    );
    const giveBack: (() => void)[] = [];
    const head = newResponseHead(adapter, turn, request.headers);
    info.responseId = head.id;
    const store = both(this.responses.saverFor(key, turn, { adapter, head }), this.reasoning.keeperFor(key, model));
    const fallbacks = fallbacksFor(key, model, this.parts.snapshot);
    const delegate = delegateFor(key, model, this.parts.snapshot);
    await this.lifecycle.run(request, reply, (signal) =>
      this.answer(
        {
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
          ...(this.parts.config.answers && { bounds: this.parts.config.answers }),
          proxyRules: rules.proxyRules === true,
          headers: info.traceHeaders,
          signal,
          ...(fallbacks && { fallbacks }),
          ...(delegate && { delegate }),
          ...(store && { store }),
          reserveTry: async (again) => {
            const finish = await reserveTry({ ...this.countedBy(key), model }, again);
            if (finish) giveBack.push(finish);
            return finish !== false;
          },
        },
        agent,
      ).finally(() => {
        for (const finish of giveBack) finish();
        finishReservation?.(record.response, record.attempts.model);
      }),
    );
  }

  /** The tokens of a prompt, in the form of its API. It is no request to a model: nothing is recorded, and no limit counts it. */
  async count(request: FastifyRequest, adapter: InboundAdapter, addressed?: PathParameters): Promise<JsonObject> {
    const { counting } = adapter;
    if (counting === undefined) throw new Error(`${adapter.path} counts nothing`);
    const key = this.identify(request);
    const body = parseBody(request.body as Buffer | undefined);
    if (isObject(body) && addressed) applyPathParameters(body, addressed);
    const { storedState } = adapter;
    const turn = await turnIn(body, counting.parseRequest, { storedState, key, store: this.responses });
    const model = authorizeModel(key, turn.model, this.parts.snapshot);
    const messagePath = (message: number): string => adapter.messagePath(turn, message);
    return counting.response(await this.attempts.count({ adapter, model, turn, messagePath }));
  }

  /** A request of an API that is passed through as it is, but for the model's name. */
  async pass(request: FastifyRequest, reply: FastifyReply, path: string): Promise<void> {
    const { record, observers } = inferenceOf(request);
    const info = record.request;
    const key = info.key as KeyEntry;
    const given = request.body as Buffer | undefined;
    const { bytes, lists } = await withoutTokens(given ?? noBody);
    if (bytes.length > longBytes) await checkMembers(bytes, turnBounds);
    const asked = readRaw(parseBody(bytes), bodyLimits);
    const { body } = asked;
    request.body = undefined;
    info.requestedModel = asked.model;
    const model = authorizeModel(key, asked.model, this.parts.snapshot);
    info.model = model;
    info.streamed = body.stream === true;
    info.parameters = body;
    this.parts.snapshot.touch(key.id, info.client, model);
    const finishReservation = await reserveLimits(
      { ...this.countedBy(key), model },
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
          dropped: asked.dropped,
          headers: info.traceHeaders,
          observers,
          signal,
        },
        this,
      ).finally(() => finishReservation?.(record.response)),
    );
  }

  /** A stored response, for the key that asked for it. Throws `response_not_found`. */
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

  /** What a stored response was asked with, as a list. Throws `response_not_found` and `invalid_parameter`. */
  async responseInput(request: FastifyRequest, { path, storedState }: InboundAdapter): Promise<JsonObject> {
    if (storedState === undefined) throw new Error(`${path} stores nothing`);
    const { id } = request.params as { id: string };
    const stored = await this.responses.get(id, this.identify(request));
    return storedState.inputItems(stored, request.query as ListQuery);
  }

  /** Refuses to cancel a response: none runs in the background. Throws `response_not_found` where there is none. */
  async cancelResponse(request: FastifyRequest): Promise<never> {
    const { id } = request.params as { id: string };
    await this.responses.get(id, this.identify(request));
    throw new Fault(
      'invalid_parameter',
      'Only background responses can be cancelled, and background mode is not supported: this response is already complete.',
      { param: 'id' },
    );
  }

  /** Forgets a stored response. Throws `response_not_found`. */
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

  /** Tells a client what its key has left, on the answer as on a refusal. */
  private tellRates(reply: FastifyReply, key: KeyEntry, { rateLimitHeaders }: InboundAdapter): void {
    if (key.requestsPerMinute === undefined && key.tokensPerMinute === undefined) return;
    void reply.headers(rateLimitHeaders(this.parts.limiter.ratesLeft(key)));
  }

  /** A turn with the tools of MCP servers that it asks for, and all that was said in it. Undefined: its key may use none. */
  private async withTools(
    asked: Turn,
    servers: NonNullable<ReturnType<typeof requestedServers>>,
    key: KeyEntry,
  ): Promise<AgentTurn | undefined> {
    const agent = await offerTools(asked, servers, { host: this.parts.tools, key });
    if (agent === undefined) return undefined;
    const messages = await this.storedRounds.restore(key, agent.turn.messages);
    return { ...agent, turn: { ...agent.turn, messages } };
  }

  /** A turn with the reasoning that its client left out and its model wants back. */
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

  /** Asks the model: once, or in agent mode until it needs no more tools of MCP servers. */
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

  /** A turn whose conversation may go on, with a message to its model where it went too far. */
  private checked(
    asked: Turn,
    model: ModelEntry,
    { request, response }: ReturnType<typeof inferenceOf>['record'],
  ): Turn {
    const { turn, nudge, loop } = checkConversation(asked, model, this.parts.config.conversations);
    if (loop) response.count({ type: 'note', choice: 0, note: findingOf(loop) });
    if (nudge === undefined) return turn;
    request.turn = turn;
    request.nudge = nudge;
    response.count({ type: 'note', choice: 0, note: { stage: 'request', detail: `nudged: ${nudge}` } });
    return turn;
  }
}

/** Stores by each of two that is there. */
function both(one: StoreAnswer | undefined, other: StoreAnswer | undefined): StoreAnswer | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return async (...answer) => {
    await Promise.all([one(...answer), other(...answer)]);
  };
}
