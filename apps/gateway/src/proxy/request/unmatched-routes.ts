import { type InboundAdapter, inboundAdapters } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noRoute } from './no-route.ts';
import { everyMethod, type RouteRow } from './route-row.ts';

/** Routes for the methods and addresses that `routes` leave open: each is refused in the form of the API that it belongs to. */
export function unmatchedRoutes(routes: readonly RouteRow[]): RouteRow[] {
  const fixed = [{ path: '/v1/*' }, ...ownBases, { path: '/proxy/*' }, { path: '/v1' }, { path: '/' }];
  const left = new Map([...fixed, ...pathsOfApis(routes)].map((row) => [row.path, row]));
  return [...left.values()].map((row): RouteRow => {
    // A parameter takes what a wildcard would.
    const same = [row.path, row.path.replace(/\*$/, ':id')];
    const taken = new Set(
      routes.filter(({ path, action }) => action === undefined && same.includes(path)).flatMap(({ method }) => method),
    );
    return {
      ...row,
      method: everyMethod.filter((method) => !taken.has(method)),
      access: 'anyone',
      refuses: true,
      handle: (request, reply) => refuseUnmatched(routes, request, reply),
    };
  });
}

/** Every path that begins like that of an API outside `/v1`. */
const ownBases = Object.values(inboundAdapters).flatMap((adapter: InboundAdapter) =>
  adapter.address === undefined ? [] : [{ path: `/${adapter.address.split('/')[1]}/*`, adapter }],
);

/** Other methods of a route, and paths below it, are answered in the form of its API as well. */
const pathsOfApis = (routes: readonly RouteRow[]): Pick<RouteRow, 'path' | 'adapter'>[] =>
  routes.flatMap(({ path, action, adapter }) => {
    // Paths below a route cover these methods already where its path is fixed, but not where it has a parameter.
    const isTaken =
      !path.includes(':') && routes.some((other) => other.adapter === adapter && path.startsWith(`${other.path}/`));
    if (adapter === undefined || action !== undefined || isTaken) return [];
    return path.endsWith('*')
      ? [{ path, adapter }]
      : [
          { path, adapter },
          { path: `${path}/*`, adapter },
        ];
  });

/** True if a route is for that address alone, or for what is done with a model in it. */
const isAt = (route: RouteRow, path: string): boolean =>
  route.action === undefined
    ? route.path === path
    : path.startsWith(route.path.slice(0, -1)) && path.endsWith(`:${route.action}`);

/** 404 where nothing is at that address; where only the method is wrong, 405 and which ones there are. */
function refuseUnmatched(routes: readonly RouteRow[], request: FastifyRequest, reply: FastifyReply): unknown {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = [...new Set(routes.filter((route) => isAt(route, path)).flatMap((route) => route.method))];
  if (methods.length === 0) throw noRoute(request.method, path);
  void reply.header('allow', methods.join(', '));
  if (request.method === 'OPTIONS') {
    void reply.code(204);
    return undefined;
  }
  const named = methods.filter((method) => method !== 'HEAD');
  throw new Fault('method_not_allowed', `${path} takes ${named.join(' and ')}, not ${request.method}.`);
}
