import type { ModelEntry } from '@callsmith/data/snapshot';
import { inboundAdapters, type ListedModel, type ListQuery } from '@callsmith/protocols';
import type { FastifyRequest } from 'fastify';
import { adapterOf } from '../response/send-json.ts';
import { authorizeModel, modelsFor } from './authorize-model.ts';
import { refuseDoubled } from './base-url-routes.ts';
import { listed, modelList } from './model-list.ts';
import { nameInPath } from './name-in-path.ts';
import type { RouteParts, RouteRow } from './route-row.ts';

const { gemini } = inboundAdapters;

/** The list of models and each one, in the form of the request's API. */
export function modelRoutes({
  config,
  snapshot,
  proxy,
}: Pick<RouteParts, 'config' | 'snapshot' | 'proxy'>): RouteRow[] {
  const all = (request: FastifyRequest) => {
    const models = modelsFor(proxy.identify(request), snapshot);
    return adapterOf(request)?.modelList?.list(models.map(asListed), request.query as ListQuery) ?? modelList(models);
  };
  const one = (prefix: string) => (request: FastifyRequest) => {
    const model = authorizeModel(proxy.identify(request), nameInPath(request, prefix), snapshot);
    return adapterOf(request)?.modelList?.one(asListed(model)) ?? listed(model);
  };
  /** For clients that append /v1 to a base URL which already ends in it. */
  const doubled =
    (handle: (request: FastifyRequest) => unknown) =>
    (request: FastifyRequest): unknown =>
      adapterOf(request) ? handle(request) : refuseDoubled(config.server, request);
  return [
    { method: 'GET', path: '/v1/models', access: 'listing', handle: all },
    { method: 'GET', path: '/v1/models/*', access: 'listing', handle: one('/v1/models/') },
    { method: 'GET', path: '/v1/v1/models', access: 'anyone', handle: doubled(all) },
    { method: 'GET', path: '/v1/v1/models/*', access: 'anyone', handle: doubled(one('/v1/v1/models/')) },
    { method: 'GET', path: '/proxy/models', access: 'listing', handle: all },
    { method: 'GET', path: '/v1beta/models', access: 'listing', adapter: gemini, handle: all },
    { method: 'GET', path: '/v1beta/models/*', access: 'listing', adapter: gemini, handle: one('/v1beta/models/') },
  ];
}

const asListed = ({ name, contextLength }: ModelEntry): ListedModel => ({
  name,
  ...(contextLength && { contextLength: contextLength.value }),
});
