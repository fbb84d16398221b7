import { defaultSettings } from '@callsmith/contracts';
import type { Recorder, TurnRecord } from '@callsmith/data/record';
import { hashKey } from '@callsmith/data/secrets';
import type { ConfigSnapshot, KeyEntry, Lesson, ModelEntry, Route, UpstreamEntry } from '@callsmith/data/snapshot';
import type { StoredResponse, StoredResponseId } from '@callsmith/data/stored-responses';
import type { StrategyName } from '@callsmith/turn';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll } from 'vitest';
import { logProblem, Metrics, RecentRawCalls, transcribe } from '../observers/index.ts';
import { deferred } from '../record/deferred-work.ts';
import { type ProxyParts, ProxyService } from '../request/proxy.service.ts';
import { proxyRoutes } from '../request/proxy-routes.ts';
import { registerRoutes } from '../request/register-routes.ts';

export const secretKey = 'a secret of tests, long enough to be one';
export const apiKey = 'sk-test-0123456789abcdef';
export const adminKey = 'admin-key-of-tests';

/** A model for tests, served by `baseUrls` in order. */
export interface TestModel {
  readonly name: string;
  readonly upstreamModel?: string;
  readonly strategy?: StrategyName;
  readonly dialect?: string;
  /** The dialect by the table of model ids, which nobody declared. */
  readonly mappedDialect?: string;
  readonly holdBytes?: number | null;
  readonly demo?: boolean;
  readonly baseUrls: readonly string[];
  /** Of each base URL; absent: all to the first. */
  readonly weights?: readonly number[];
  readonly kind?: UpstreamEntry['kind'];
  readonly upstream?: Partial<UpstreamEntry>;
}

/** The config snapshot in memory: what tests put into it, and what the proxy learnt. */
export class MemoryConfigSnapshot implements ConfigSnapshot {
  /** Ids of the keys that were stored under another hash. */
  readonly rehashed: string[] = [];
  stale = false;
  readonly keys = new Map<string, KeyEntry>();
  readonly learned: Lesson[] = [];
  private readonly entries = new Map<string, ModelEntry>();

  constructor(models: readonly TestModel[]) {
    for (const model of models) this.entries.set(model.name, entryOf(model));
    this.addKey(apiKey, {});
  }

  addKey(secret: string, entry: Partial<KeyEntry>): void {
    this.keys.set(hashKey(secretKey, secret), { ...plainKey, ...entry });
  }

  key(hash: string): KeyEntry | undefined {
    return this.keys.get(hash);
  }

  model(name: string): ModelEntry | undefined {
    return this.entries.get(name);
  }

  models(): readonly ModelEntry[] {
    return [...this.entries.values()];
  }

  change(name: string, change: Partial<ModelEntry>): void {
    this.entries.set(name, { ...(this.entries.get(name) as ModelEntry), ...change });
  }

  learn(lesson: Lesson): void {
    this.learned.push(lesson);
    for (const [name, model] of this.entries) {
      if (model.id !== lesson.modelId) continue;
      const routes = model.routes.map((route) =>
        route.upstream.id === lesson.upstreamId ? { ...route, ...taught(route, lesson) } : route,
      );
      this.entries.set(name, { ...model, routes });
    }
  }

  touch(): void {}

  rehash(keyId: string, hash: string): void {
    const entry = [...this.keys.values()].find(({ id }) => id === keyId);
    if (entry) this.keys.set(hash, entry);
    this.rehashed.push(keyId);
  }
}

/** What a lesson changes about a route. */
function taught(route: Route, { what, value }: Lesson): Partial<Route> {
  if (what === 'native-tools') return { nativeTools: value === true };
  if (what === 'marked-calls') return { marksCalls: true };
  if (what === 'api') return { api: String(value) };
  if (what.startsWith('constraint:'))
    return { constraints: { ...route.constraints, [what.slice('constraint:'.length)]: value === true } };
  if (what.startsWith('parameter:')) return { refuses: [...route.refuses, what.slice('parameter:'.length)] };
  return what.startsWith('retreat:') ? { retreats: [...route.retreats, what.slice('retreat:'.length)] } : {};
}

/** Keeps what it is given. */
export class MemoryRecorder implements Recorder {
  private readonly kept: TurnRecord[] = [];

  /** Those of every answer that is out. */
  get turns(): readonly TurnRecord[] {
    deferred.flush();
    return this.kept;
  }

  add(turn: TurnRecord): void {
    this.kept.push(turn);
  }

  stores(): boolean {
    return true;
  }
}

/** Keeps responses in memory. */
export class MemoryResponses {
  private readonly stored = new Map<string, { keyId: string; stored: StoredResponse }>();

  async save({ id, keyId }: StoredResponseId, _: object, stored: StoredResponse): Promise<void> {
    this.stored.set(id, { keyId, stored });
  }

  async find({ id, keyId }: StoredResponseId): Promise<StoredResponse | undefined> {
    const one = this.stored.get(id);
    return one?.keyId === keyId ? one.stored : undefined;
  }

  async findAll(ids: readonly string[], keyId: string): Promise<ReadonlyMap<string, StoredResponse>> {
    const found = new Map<string, StoredResponse>();
    for (const id of ids) {
      const one = await this.find({ id, keyId });
      if (one) found.set(id, one);
    }
    return found;
  }

  async remove({ id, keyId }: StoredResponseId): Promise<boolean> {
    return this.stored.get(id)?.keyId === keyId && this.stored.delete(id);
  }
}

/** A running proxy on a free port. */
export interface TestProxy {
  readonly url: string;
  readonly fastify: FastifyInstance;
  readonly routes: ReturnType<typeof proxyRoutes>;
  readonly snapshot: MemoryConfigSnapshot;
  readonly recorder: MemoryRecorder;
  readonly metrics: Metrics;
  readonly proxy: ProxyService;
  readonly reportedErrors: unknown[];
  close(): Promise<void>;
}

/** A proxy for all tests of a file. */
export async function testProxy(...args: Parameters<typeof startProxy>): Promise<TestProxy> {
  const proxy = await startProxy(...args);
  afterAll(() => proxy.close());
  return proxy;
}

/** Starts the proxy's routes on a Fastify of their own, as the gateway sets it up. */
export async function startProxy(
  models: readonly TestModel[],
  parts: Partial<ProxyParts> & {
    bodyLimitBytes?: number;
    answers?: ProxyParts['config']['answers'];
    agent?: ProxyParts['config']['agent'];
  } = {},
): Promise<TestProxy> {
  const snapshot = new MemoryConfigSnapshot(models);
  const recorder = new MemoryRecorder();
  const metrics = new Metrics();
  const ring = new RecentRawCalls(200);
  const complaints: unknown[] = [];
  const quiet = { warn: () => {}, error: () => {} };
  const proxy = new ProxyService({
    config: {
      secretKey,
      conversations: { repeats: 10, excess: 'refuse' },
      ...(parts.agent && { agent: parts.agent }),
      ...(parts.answers && { answers: parts.answers }),
    },
    snapshot,
    limiter: unlimited,
    storedResponses: new MemoryResponses(),
    observerFactories: [transcribe(recorder), metrics.observerFactory, ring.observerFactory, logProblem(quiet)],
    reportError: (error) => complaints.push(error),
    ...parts,
  });
  const app = fastify({ routerOptions: { maxParamLength: 1024 }, forceCloseConnections: true });
  const server = {
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    trustProxy: false,
    bodyLimitBytes: parts.bodyLimitBytes ?? 1024 * 1024,
    workers: 1,
  } as const;
  const routeParts = {
    config: {
      server,
      admin: { email: 'a@example.com', password: undefined, key: adminKey },
      metricsToken: 'metrics-token-of-tests',
    },
    snapshot,
    proxy,
    metrics,
    ring,
    usage: { of: async () => ({}) },
    mcp: { functions: async () => ({}), serve: async () => {} },
  };
  registerRoutes(app, routeParts);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    fastify: app,
    routes: proxyRoutes(routeParts),
    snapshot,
    recorder,
    metrics,
    proxy,
    reportedErrors: complaints,
    close: async () => {
      await proxy.stop(0);
      await app.close();
    },
  };
}

/** Posts JSON to a gateway, with the tests' API key unless another one is given. */
export const postJson = (
  { url }: Pick<TestProxy, 'url'>,
  path: string,
  body: object,
  { key = apiKey, signal }: { readonly key?: string; readonly signal?: AbortSignal } = {},
): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

/** Counts nothing; limits are counted over the real stores. */
const unlimited = {
  ratesLeft: () => ({}),
  spent: async () => undefined,
  reserve: async () => ({ ok: true as const, finish: () => {} }),
};

const plainKey: KeyEntry = {
  id: 'key_test',
  teamId: 'team_test',
  teamName: 'Tests',
  holder: 'tests',
  hint: 'sk-…cdef',
  kind: 'issued',
  allowedModels: undefined,
  storesBodies: true,
  expiresAt: undefined,
  requestsPerMinute: undefined,
  tokensPerMinute: undefined,
  concurrentStreams: undefined,
  budgets: [],
};

function entryOf(model: TestModel): ModelEntry {
  const declared = <T>(value: T) => ({ value, source: 'declared' as const });
  return {
    id: `model_${model.name}`,
    name: model.name,
    strategy: declared(model.strategy ?? 'auto'),
    dialect: model.mappedDialect
      ? { value: model.mappedDialect, source: 'default' }
      : declared(model.dialect ?? 'auto'),
    holdBytes: declared(model.holdBytes === undefined ? 1024 : model.holdBytes),
    ...defaultSettings,
    demo: model.demo ?? false,
    routes: model.baseUrls.map((baseUrl, at) => ({
      upstream: {
        id: `up_${new URL(baseUrl).port}`,
        name: `gpu${at}`,
        kind: model.kind ?? 'vllm',
        baseUrl,
        credential: undefined,
        api: 'auto',
        connectTimeoutMs: 2000,
        firstByteTimeoutMs: 60_000,
        idleTimeoutMs: 60_000,
        maxConnections: 64,
        engineVersion: '1.0',
        ...model.upstream,
      },
      upstreamModel: model.upstreamModel ?? model.name,
      weight: model.weights?.[at] ?? (at === 0 ? 1 : 0),
      nativeTools: undefined,
      refuses: [],
      marksCalls: false,
      retreats: [],
    })),
  };
}
