import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ListQuery } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serverTiming } from '../response/response-headers.ts';
import { adapterOf } from '../response/send-json.ts';
import { notJson } from './as-fault.ts';
import { rawBounds, readBody, turnBounds } from './body.ts';
import { proxyRoutes } from './proxy-routes.ts';
import type { RouteParts } from './route-row.ts';

/** Registers the routes with Fastify, in a scope with its own parser, access checks and error format. */
export function registerRoutes(fastify: FastifyInstance, parts: RouteParts): void {
  void fastify.register(async (scope) => {
    scope.decorateRequest('inference', undefined);
    scope.addConstraintStrategy(byAction);
    addBodyParser(scope, parts);
    addHooks(scope, parts);
    for (const { method, path, action, access, adapter, passesThrough, refuses, handle } of proxyRoutes(parts))
      scope.route({
        method,
        url: path,
        ...(action !== undefined && { constraints: { action } }),
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

type ActionStrategy = Parameters<FastifyInstance['addConstraintStrategy']>[0];
type ActionHandler = Parameters<ReturnType<ActionStrategy['storage']>['set']>[1];

/** Routes by the part of the path after its last colon, as in `/v1beta/models/{model}:countTokens`, and by `alt=sse`. */
const byAction: ActionStrategy = {
  name: 'action',
  storage: () => {
    const handlers = new Map<unknown, ActionHandler>();
    return {
      get: (action) => handlers.get(action) ?? null,
      set: (action, handler) => {
        handlers.set(action, handler);
      },
    };
  },
  deriveConstraint: ({ url = '' }) => {
    const [path = '', query = ''] = url.split('?', 2);
    const colon = path.lastIndexOf(':');
    if (colon === -1) return undefined;
    const action = path.slice(colon + 1);
    return action === 'streamGenerateContent' && new URLSearchParams(query).get('alt') === 'sse'
      ? `${action}?alt=sse`
      : action;
  },
};

/** The parser and the hooks take callbacks: each promise would cost every request another turn of the microtasks. */
function addBodyParser(scope: FastifyInstance, { config }: RouteParts): void {
  const limit = config.server.bodyLimitBytes;
  const parse = (
    request: FastifyRequest,
    payload: IncomingMessage,
    done: (error: Error | null, body?: Buffer) => void,
  ): void =>
    readBody(
      payload,
      { bytes: limit, members: request.routeOptions.config.passesThrough ? rawBounds : turnBounds },
      (error, bytes) => {
        // The time until here is the client's, not the gateway's.
        if (request.inference) request.inference.record.request.arrivedAt = performance.now();
        done(error, bytes);
      },
      request.bodyWatch,
    );
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', parse);
  scope.addContentTypeParser(/^application\/[\w.+-]+\+json/, parse);
  scope.addContentTypeParser('*', (_request, payload: IncomingMessage, done) => {
    payload.resume();
    done(notJson());
  });
}

/** Checks the access of requests, and adds the headers of responses and the format of errors. */
function addHooks(scope: FastifyInstance, parts: RouteParts): void {
  scope.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).header('x-callsmith-strategy', 'none');
    const adapter = adapterOf(request);
    if (adapter?.requestIdHeader !== undefined) void reply.header(adapter.requestIdHeader, request.id);
    try {
      adapter?.checkQuery?.(request.query as ListQuery);
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
    // The rest of a refused body is not read.
    if (!request.raw.complete && request.raw.readableFlowing) void reply.header('connection', 'close');
    parts.proxy.refuse(request, reply, error);
  });
}

/**
 * Checks the access of a request. A route that declares no access is refused. Returns a promise only if something must
 * be awaited.
 */
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

const bearer = (request: FastifyRequest): string | undefined =>
  /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];

/** Compares in constant time. A secret that is not set opens nothing. */
function holds(header: string | string[] | undefined, secret: string | undefined): boolean {
  if (secret === undefined || secret === '' || typeof header !== 'string') return false;
  const [a, b] = [Buffer.from(header), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
