import type { Config } from '@callsmith/config';
import { Fault } from '@callsmith/turn';
import type { FastifyRequest } from 'fastify';
import { everyMethod, type RouteRow } from './route-row.ts';

type Server = Pick<Config['server'], 'publicUrl'>;

/** The base URL for clients, from the settings or the request's own address. */
export const baseUrl = ({ publicUrl }: Server, request: FastifyRequest): string =>
  `${publicUrl ?? `${request.protocol}://${request.host}`}/v1`;

/** Refuses a request whose path has `/v1` twice, and says what to change. */
export function refuseDoubled(server: Server, request: FastifyRequest): never {
  const base = baseUrl(server, request);
  throw new Fault(
    'not_found',
    `The path has /v1 twice. Change the client's base URL to ${base}, or to ${base.slice(0, -'/v1'.length)} if the client adds /v1 itself.`,
  );
}

/** The base URL itself explains what it is; requests to a wrong one are refused with the right one. */
export const baseUrlRoutes = (server: Server): RouteRow[] => [
  {
    method: 'GET',
    path: '/v1',
    access: 'anyone',
    handle: (request) => ({
      object: 'base_url',
      base_url: baseUrl(server, request),
      message: `This is the base URL. Clients append /chat/completions to it; ${baseUrl(server, request)}/models lists the models.`,
    }),
  },
  {
    method: 'GET',
    path: '/',
    access: 'anyone',
    handle: (request) => ({ object: 'service', name: 'callsmith', status: 'ok', base_url: baseUrl(server, request) }),
  },
  ...['/chat/completions', '/completions', '/responses', '/embeddings', '/rerank', '/models'].map(
    (path): RouteRow => ({
      method: everyMethod,
      path,
      access: 'anyone',
      refuses: true,
      handle: (request) => {
        throw new Fault('not_found', `Base URL must end in /v1: ${baseUrl(server, request)}`);
      },
    }),
  ),
  ...['/v1/v1', '/v1/v1/*'].map(
    (path): RouteRow => ({
      method: everyMethod,
      path,
      access: 'anyone',
      refuses: true,
      handle: (request) => refuseDoubled(server, request),
    }),
  ),
];
