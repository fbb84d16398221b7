import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Config } from '@callsmith/config';
import { inferenceOpenapi } from '@callsmith/contracts/inference';
import type { ConfigSnapshot, KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import { type InboundAdapter, inboundAdapters, type ListedModel, type ListQuery } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Metrics, Ring } from '../observers/index.ts';
import { metricsPage } from '../observers/workers-metrics.ts';
import { serverTiming } from '../response/response-headers.ts';
import { adapterOf } from '../response/send-json.ts';
import { notJson } from './as-fault.ts';
import { authorizeModel, modelsFor } from './authorize-model.ts';
import { rawBounds, readBody, turnBounds } from './body.ts';
import type { KeyUsage } from './key-usage.ts';
import { listed, modelList } from './model-list.ts';
import { noRoute } from './no-route.ts';
import type { ProxyService, RouteRules } from './proxy.service.ts';

/** Who may call a route: hung on the route itself, so that no other reading of the address decides. */
export type RouteAccess = 'anyone' | 'inference' | 'listing' | 'counting' | 'admin-key' | 'metrics';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
    /** Bodies go to the model server as they are, and may hold long lists of tokens. */
    passesThrough?: boolean;
    /** Refuses every request, whatever its body: what that is made of is not looked at. */
    refuse?: (request: FastifyRequest, reply: FastifyReply) => unknown;
  }
}

/** What the routes need. */
export interface RouteParts {
  readonly config: Pick<Config, 'server' | 'admin' | 'metricsToken'>;
  readonly snapshot: ConfigSnapshot;
  readonly proxy: ProxyService;
  readonly metrics: Metrics;
  readonly ring: Ring;
  readonly usage: Pick<KeyUsage, 'of'>;
  /** The tools of MCP servers. */
  readonly mcp: McpRoutes;
}

/** What the routes of MCP servers' tools answer with. */
export interface McpRoutes {
  /** Those that a key may use, as OpenAI's functions. */
  functions(key: KeyEntry): Promise<object>;
  /** One request of the protocol to a server, by its name. */
  serve(
    request: FastifyRequest,
    reply: FastifyReply,
    asker: { readonly key: KeyEntry; readonly server: string },
  ): Promise<void>;
}

interface RouteRow {
  readonly method: HTTPMethods | HTTPMethods[];
  readonly path: string;
  readonly access: RouteAccess;
  readonly adapter?: InboundAdapter;
  readonly passesThrough?: true;
  /** `handle` refuses every request, or answers without its body. */
  readonly refuses?: true;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

const everyMethod: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Made at its first use, and once. */
let openapiText: string | undefined;
const openapi = (): string => {
  openapiText ??= JSON.stringify(inferenceOpenapi());
  return openapiText;
};

/** Every route of the inference side, in one table. */
export function proxyRoutes({ config, snapshot, proxy, metrics, ring, usage, mcp }: RouteParts): RouteRow[] {
  const { 'chat-completions': chat, responses, messages } = inboundAdapters;
  const baseUrl = (request: FastifyRequest): string =>
    `${config.server.publicUrl ?? `${request.protocol}://${request.host}`}/v1`;
  const wrongBase = (request: FastifyRequest): never => {
    throw new Fault('not_found', `Base URL must end in /v1: ${baseUrl(request)}`);
  };
  const twice = (request: FastifyRequest): never => {
    const base = baseUrl(request);
    throw new Fault(
      'not_found',
      `The path has /v1 twice. Change the client's base URL to ${base}, or to ${base.slice(0, -'/v1'.length)} if the client adds /v1 itself.`,
    );
  };
  const listModels = (request: FastifyRequest) => {
    const models = modelsFor(proxy.identify(request), snapshot);
    return adapterOf(request)?.modelList?.list(models.map(asListed), request.query as ListQuery) ?? modelList(models);
  };
  const oneModel = (prefix: string) => (request: FastifyRequest) => {
    const model = authorizeModel(proxy.identify(request), nameIn(request, prefix), snapshot);
    return adapterOf(request)?.modelList?.one(asListed(model)) ?? listed(model);
  };
  /** A route where a model is asked by one API. */
  const completions = (
    path: string,
    adapter: InboundAdapter,
    rules: (request: FastifyRequest) => Omit<RouteRules, 'adapter'> = () => ({}),
  ): RouteRow => ({
    method: 'POST',
    path,
    access: 'inference',
    adapter,
    handle: (request, reply) => proxy.serve(request, reply, { adapter, ...rules(request) }),
  });
  /** A route that counts a prompt's tokens. */
  const counts = (path: string, adapter: InboundAdapter): RouteRow => ({
    method: 'POST',
    path,
    access: 'counting',
    adapter,
    handle: (request) => proxy.count(request, adapter),
  });
  const messageRoutes = (base: string): RouteRow[] => [
    completions(`${base}/messages`, messages),
    counts(`${base}/messages/count_tokens`, messages),
    {
      method: ['GET', 'HEAD'],
      path: base.replace(/v1$/, 'api/hello'),
      access: 'anyone',
      handle: () => ({ message: 'hello' }),
    },
  ];
  /** Where clients that append /v1 themselves were given a base URL that ends in it. */
  const ofDoubled =
    (handle: (request: FastifyRequest) => unknown) =>
    (request: FastifyRequest): unknown =>
      adapterOf(request) ? handle(request) : twice(request);
  const rows: RouteRow[] = [
    completions('/v1/chat/completions', chat),
    completions('/v1/responses', responses),
    ...messageRoutes('/v1'),
    ...messageRoutes('/v1/v1'),
    {
      method: 'GET',
      path: '/v1/responses/:id',
      access: 'listing',
      adapter: responses,
      handle: (request) => proxy.response(request),
    },
    counts('/v1/responses/input_tokens', responses),
    {
      method: 'GET',
      path: '/v1/responses/:id/input_items',
      access: 'listing',
      adapter: responses,
      handle: (request) => proxy.responseInput(request, responses),
    },
    {
      method: 'POST',
      path: '/v1/responses/:id/cancel',
      access: 'listing',
      adapter: responses,
      handle: (request) => proxy.cancelResponse(request),
    },
    {
      method: 'DELETE',
      path: '/v1/responses/:id',
      access: 'listing',
      adapter: responses,
      handle: (request) => proxy.forgetResponse(request),
    },
    {
      method: 'POST',
      path: '/v1/completions',
      access: 'inference',
      passesThrough: true,
      handle: (request, reply) => proxy.pass(request, reply, '/completions'),
    },
    {
      method: 'POST',
      path: '/v1/embeddings',
      access: 'inference',
      passesThrough: true,
      handle: (request, reply) => proxy.pass(request, reply, '/embeddings'),
    },
    {
      method: 'POST',
      path: '/v1/rerank',
      access: 'inference',
      passesThrough: true,
      handle: (request, reply) => proxy.pass(request, reply, '/rerank'),
    },
    {
      method: 'GET',
      path: '/v1/usage',
      access: 'listing',
      handle: (request) =>
        usage.of(proxy.identify(request), (request.query as Record<string, string | undefined>).days),
    },
    {
      method: 'GET',
      path: '/v1/mcp/tools',
      access: 'counting',
      handle: (request) => mcp.functions(proxy.identify(request)),
    },
    {
      method: 'POST',
      path: '/mcp/:server',
      access: 'counting',
      handle: (request, reply) =>
        mcp.serve(request, reply, {
          key: proxy.identify(request),
          server: (request.params as { server: string }).server,
        }),
    },
    { method: 'GET', path: '/v1/models', access: 'listing', handle: listModels },
    {
      method: 'GET',
      path: '/v1/models/*',
      access: 'listing',
      handle: oneModel('/v1/models/'),
    },
    { method: 'GET', path: '/v1/v1/models', access: 'anyone', handle: ofDoubled(listModels) },
    { method: 'GET', path: '/v1/v1/models/*', access: 'anyone', handle: ofDoubled(oneModel('/v1/v1/models/')) },
    {
      method: 'GET',
      path: '/v1/openapi.json',
      access: 'anyone',
      handle: (_, reply) => reply.type('application/json').send(openapi()),
    },
    {
      method: 'GET',
      path: '/v1',
      access: 'anyone',
      handle: (request) => ({
        object: 'base_url',
        base_url: baseUrl(request),
        message: `This is the base URL. Clients append /chat/completions to it; ${baseUrl(request)}/models lists the models.`,
      }),
    },
    {
      method: 'GET',
      path: '/',
      access: 'anyone',
      handle: (request) => ({ object: 'service', name: 'callsmith', status: 'ok', base_url: baseUrl(request) }),
    },
    completions('/proxy/chat/completions', chat, () => ({ proxyRules: true })),
    completions('/proxy/responses', responses, () => ({ proxyRules: true })),
    { method: 'GET', path: '/proxy/models', access: 'listing', handle: listModels },
    {
      method: 'GET',
      path: '/proxy/debug/tool-calls',
      access: 'admin-key',
      handle: (request) => debugCalls(request, ring),
    },
    completions('/llm/v1/chat/completions', chat),
    completions('/llm/*', chat, (request) => ({ model: modelInPath(request) })),
    {
      method: 'GET',
      path: '/metrics',
      access: 'metrics',
      handle: async (_, reply) => reply.type(metrics.registry.contentType).send(await metricsPage(metrics.registry)),
    },
    ...['/chat/completions', '/completions', '/responses', '/embeddings', '/rerank', '/models'].map(
      (path): RouteRow => ({ method: everyMethod, path, access: 'anyone', refuses: true, handle: wrongBase }),
    ),
    ...['/v1/v1', '/v1/v1/*'].map(
      (path): RouteRow => ({ method: everyMethod, path, access: 'anyone', refuses: true, handle: twice }),
    ),
  ];
  // What a GET answers, a HEAD may ask for.
  const routes = rows.map((row): RouteRow => (row.method === 'GET' ? { ...row, method: ['GET', 'HEAD'] } : row));
  const unknown = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = routes.filter((route) => route.path === path).flatMap((route) => route.method);
    if (methods.length === 0) throw noRoute(request.method, path);
    void reply.header('allow', methods.join(', '));
    if (request.method === 'OPTIONS') {
      void reply.code(204);
      return undefined;
    }
    const named = methods.filter((method) => method !== 'HEAD');
    throw new Fault('method_not_allowed', `${path} takes ${named.join(' and ')}, not ${request.method}.`);
  };
  // Other methods of a route, and what stands behind it, are answered in the form of its API as well.
  const owned = routes.flatMap(({ path, adapter }): Pick<RouteRow, 'path' | 'adapter'>[] => {
    // What stands behind a route takes these methods of a fixed address already, but not of a parameter.
    const isTaken =
      !path.includes(':') && routes.some((other) => other.adapter === adapter && path.startsWith(`${other.path}/`));
    if (adapter === undefined || isTaken) return [];
    return path.endsWith('*')
      ? [{ path, adapter }]
      : [
          { path, adapter },
          { path: `${path}/*`, adapter },
        ];
  });
  const answered = [{ path: '/v1/*' }, { path: '/proxy/*' }, { path: '/v1' }, { path: '/' }];
  const left = new Map([...answered, ...owned].map((row) => [row.path, row]));
  const rest = [...left.values()].map((row): RouteRow => {
    // A parameter takes what a wildcard would.
    const same = [row.path, row.path.replace(/\*$/, ':id')];
    const taken = new Set(routes.filter(({ path }) => same.includes(path)).flatMap(({ method }) => method));
    return {
      ...row,
      method: everyMethod.filter((method) => !taken.has(method)),
      access: 'anyone',
      refuses: true,
      handle: unknown,
    };
  });
  return [...routes, ...rest];
}

/** Puts the routes on Fastify, in a scope with its own parser, guard and error form. */
export function registerRoutes(fastify: FastifyInstance, parts: RouteParts): void {
  void fastify.register(async (scope) => {
    const { proxy, config } = parts;
    const limit = config.server.bodyLimitBytes;
    scope.decorateRequest('inference', undefined);
    scope.removeAllContentTypeParsers();
    // This parser and the hooks take callbacks: each promise would cost every request another turn of the microtasks.
    const parse = (
      request: FastifyRequest,
      payload: IncomingMessage,
      done: (error: Error | null, body?: Buffer) => void,
    ): void =>
      readBody(
        payload,
        { bytes: limit, members: request.routeOptions.config.passesThrough ? rawBounds : turnBounds },
        (error, bytes) => {
          // Until here the time is the client's.
          if (request.inference) request.inference.record.request.arrivedAt = performance.now();
          done(error, bytes);
        },
        request.bodyWatch,
      );
    scope.addContentTypeParser('application/json', parse);
    scope.addContentTypeParser(/^application\/[\w.+-]+\+json/, parse);
    scope.addContentTypeParser('*', (_request, payload: IncomingMessage, done) => {
      payload.resume();
      done(notJson());
    });
    scope.addHook('onRequest', (request, reply, done) => {
      void reply.header('x-request-id', request.id).header('x-callsmith-strategy', 'none');
      const { requestIdHeader } = adapterOf(request) ?? {};
      if (requestIdHeader !== undefined) void reply.header(requestIdHeader, request.id);
      try {
        const waited = guard(request, reply, parts);
        const { refuse } = request.routeOptions.config;
        if (waited) waited.then(() => done(), done);
        else if (refuse === undefined) done();
        else void reply.send(refuse(request, reply));
      } catch (error) {
        done(error as Error);
      }
    });
    scope.addHook('onSend', (_request, reply, payload, done) => {
      if (!reply.hasHeader('server-timing')) void reply.header('server-timing', serverTiming(reply.elapsedTime));
      done(null, payload);
    });
    scope.setErrorHandler((error, request, reply) => {
      // What is still to come of a refused body is not waited for.
      if (!request.raw.complete && request.raw.readableFlowing) void reply.header('connection', 'close');
      proxy.refuse(request, reply, error);
    });
    for (const { method, path, access, adapter, passesThrough, refuses, handle } of proxyRoutes(parts))
      scope.route({
        method,
        url: path,
        config: {
          access,
          ...(adapter && { adapter }),
          ...(passesThrough && { passesThrough }),
          ...(refuses && { refuse: handle }),
        },
        handler: handle,
        exposeHeadRoute: false,
      });
  });
}

/** Default deny: a route without an access of its own is closed. A promise where something is to be waited for. */
function guard(request: FastifyRequest, reply: FastifyReply, { proxy, config }: RouteParts): Promise<void> | undefined {
  switch (request.routeOptions.config.access) {
    case 'anyone':
    // The listing needs the key itself and asks for it.
    case 'listing':
      return undefined;
    case 'counting':
      proxy.identify(request);
      return undefined;
    case 'inference':
      return proxy.begin(request, reply);
    case 'admin-key':
      if (holds(request.headers['x-admin-key'], config.admin.key)) return undefined;
      throw new Fault('unauthenticated', 'Send the admin key in the header X-Admin-Key. It is the setting ADMIN_KEY.');
    case 'metrics':
      if (holds(request.headers['x-admin-key'], config.admin.key)) return undefined;
      if (holds(bearer(request), config.admin.key) || holds(bearer(request), config.metricsToken)) return undefined;
      throw new Fault(
        'unauthenticated',
        'Send ADMIN_KEY in the header X-Admin-Key, or METRICS_TOKEN as "Authorization: Bearer <token>".',
      );
    default:
      throw new Fault('forbidden');
  }
}

const asListed = ({ name, contextLength }: ModelEntry): ListedModel => ({
  name,
  ...(contextLength && { contextLength: contextLength.value }),
});

const bearer = (request: FastifyRequest): string | undefined =>
  /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];

/** Compares in constant time. A secret that is not set opens nothing. */
function holds(given: string | string[] | undefined, secret: string | undefined): boolean {
  if (secret === undefined || secret === '' || typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function debugCalls(request: FastifyRequest, ring: Ring): object {
  const query = request.query as Record<string, string | undefined>;
  const limit = query.limit === undefined ? 50 : Number(query.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new Fault('invalid_parameter', `limit is ${JSON.stringify(query.limit)}; it must be a whole number from 1.`, {
      param: 'limit',
    });
  const items = ring.newest(limit);
  if (query.clear === 'true' || query.clear === '1') ring.clear();
  return { items, count: items.length };
}

/** `/llm/<model>/v1/chat/completions`: the model raw or encoded, slashes and all (D-21). */
function modelInPath(request: FastifyRequest): string {
  const end = '/v1/chat/completions';
  const name = nameIn(request, '/llm/');
  if (!name.endsWith(end)) throw new Fault('not_found', 'This route is /llm/<model>/v1/chat/completions.');
  return name.slice(0, -end.length);
}

/** What stands in the address behind `prefix`, decoded. */
function nameIn(request: FastifyRequest, prefix: string): string {
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path.slice(prefix.length));
  } catch {
    throw new Fault('invalid_parameter', 'The model name in the path is not properly encoded.', { param: 'model' });
  }
}
