import { inferenceOpenapi } from '@callsmith/contracts/inference';
import { geminiArray, type InboundAdapter, inboundAdapters, type ListQuery } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import type { FastifyRequest } from 'fastify';
import type { RecentRawCalls } from '../observers/index.ts';
import { metricsPage } from '../observers/workers-metrics.ts';
import { baseUrlRoutes } from './base-url-routes.ts';
import { modelRoutes } from './model-routes.ts';
import { nameInPath } from './name-in-path.ts';
import type { ProxyService, RouteRules } from './proxy.service.ts';
import type { PathParameters } from './read-turn.ts';
import type { RouteParts, RouteRow } from './route-row.ts';
import { unmatchedRoutes } from './unmatched-routes.ts';

/** Every route of the inference side, in one table. */
export function proxyRoutes(parts: RouteParts): RouteRow[] {
  const rows = [
    ...chatRoutes(parts.proxy),
    ...responsesRoutes(parts.proxy),
    ...messagesRoutes(parts.proxy, '/v1'),
    ...messagesRoutes(parts.proxy, '/v1/v1'),
    ...geminiBases.flatMap((base) => geminiRoutes(parts.proxy, base)),
    ...passthroughRoutes(parts.proxy),
    ...modelRoutes(parts),
    ...toolRoutes(parts),
    ...observingRoutes(parts),
    ...baseUrlRoutes(parts.config.server),
  ];
  // A HEAD may be sent wherever a GET may.
  const routes = rows.map((row): RouteRow => (row.method === 'GET' ? { ...row, method: ['GET', 'HEAD'] } : row));
  return [...routes, ...unmatchedRoutes(routes)];
}

const { 'chat-completions': chat, responses, messages, gemini } = inboundAdapters;

/** A chat route of one API. */
const completions = (
  proxy: ProxyService,
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
const counts = (
  proxy: ProxyService,
  path: string,
  adapter: InboundAdapter,
  addressed?: (request: FastifyRequest) => PathParameters,
): RouteRow => ({
  method: 'POST',
  path,
  access: 'counting',
  adapter,
  handle: (request) => proxy.count(request, adapter, addressed?.(request)),
});

const chatRoutes = (proxy: ProxyService): RouteRow[] => [
  completions(proxy, '/v1/chat/completions', chat),
  completions(proxy, '/proxy/chat/completions', chat, () => ({ proxyRules: true })),
  completions(proxy, '/llm/v1/chat/completions', chat),
  completions(proxy, '/llm/*', chat, (request) => ({ addressed: { model: modelInPath(request) } })),
];

const responsesRoutes = (proxy: ProxyService): RouteRow[] => [
  completions(proxy, '/v1/responses', responses),
  completions(proxy, '/proxy/responses', responses, () => ({ proxyRules: true })),
  counts(proxy, '/v1/responses/input_tokens', responses),
  {
    method: 'GET',
    path: '/v1/responses/:id',
    access: 'listing',
    adapter: responses,
    handle: (request) => proxy.response(request),
  },
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
];

const messagesRoutes = (proxy: ProxyService, base: string): RouteRow[] => [
  completions(proxy, `${base}/messages`, messages),
  counts(proxy, `${base}/messages/count_tokens`, messages),
  {
    method: ['GET', 'HEAD'],
    path: base.replace(/v1$/, 'api/hello'),
    access: 'anyone',
    handle: () => ({ message: 'hello' }),
  },
];

/** Google's SDKs append one of its versions to a base URL, which may end in `/v1`. */
const geminiBases = ['/v1beta', '/v1', '/v1/v1beta', '/v1/v1'];

const geminiRoutes = (proxy: ProxyService, base: string): RouteRow[] => {
  const path = `${base}/models/*`;
  const modelOf = (request: FastifyRequest, action: string): string =>
    nameInPath(request, `${base}/models/`).slice(0, -action.length - 1);
  const answers = (adapter: InboundAdapter, action: string, stream: boolean): RouteRow => ({
    ...completions(proxy, path, adapter, (request) => {
      if (adapter === geminiArray) checkAlt(request);
      return { addressed: { model: modelOf(request, action), stream } };
    }),
    action,
  });
  return [
    answers(gemini, 'generateContent', false),
    answers(geminiArray, 'streamGenerateContent', true),
    { ...answers(gemini, 'streamGenerateContent', true), action: 'streamGenerateContent?alt=sse' },
    {
      ...counts(proxy, path, gemini, (request) => ({ model: modelOf(request, 'countTokens') })),
      action: 'countTokens',
    },
  ];
};

/** A stream is an array of JSON or, with `alt=sse`, one of events. */
function checkAlt(request: FastifyRequest): void {
  const { alt = 'json' } = request.query as ListQuery;
  if (alt !== 'json')
    throw new Fault('invalid_parameter', `alt: expected "sse" or "json", found ${JSON.stringify(alt)}.`, {
      param: 'alt',
    });
}

/** Bodies that are passed to the model server unchanged. */
const passthroughRoutes = (proxy: ProxyService): RouteRow[] =>
  (['/completions', '/embeddings', '/rerank'] as const).map((path) => ({
    method: 'POST',
    path: `/v1${path}`,
    access: 'inference',
    passesThrough: true,
    handle: (request, reply) => proxy.pass(request, reply, path),
  }));

/** The tools of MCP servers. */
const toolRoutes = ({ proxy, mcp }: RouteParts): RouteRow[] => [
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
];

/** A key's usage, and the gateway's documents. */
const observingRoutes = ({ proxy, usage, ring, metrics }: RouteParts): RouteRow[] => [
  {
    method: 'GET',
    path: '/v1/usage',
    access: 'listing',
    handle: (request) => usage.of(proxy.identify(request), (request.query as Record<string, string | undefined>).days),
  },
  {
    method: 'GET',
    path: '/v1/openapi.json',
    access: 'anyone',
    handle: (_, reply) => reply.type('application/json').send(openapi()),
  },
  {
    method: 'GET',
    path: '/proxy/debug/tool-calls',
    access: 'admin-key',
    handle: (request) => debugCalls(request, ring),
  },
  {
    method: 'GET',
    path: '/metrics',
    access: 'metrics',
    handle: async (_, reply) => reply.type(metrics.registry.contentType).send(await metricsPage(metrics.registry)),
  },
];

/** Created at its first use, and once. */
let openapiText: string | undefined;
const openapi = (): string => {
  openapiText ??= JSON.stringify(inferenceOpenapi());
  return openapiText;
};

function debugCalls(request: FastifyRequest, ring: RecentRawCalls): object {
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
  const name = nameInPath(request, '/llm/');
  if (!name.endsWith(end)) throw new Fault('not_found', 'This route is /llm/<model>/v1/chat/completions.');
  return name.slice(0, -end.length);
}
