import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { engines, type InboundAdapter, type OutboundName } from '@callsmith/protocols';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';

/** The names of APIs in settings and lessons. */
const outboundNames: Readonly<Record<string, OutboundName>> = {
  chat: 'openai-chat',
  responses: 'openai-responses',
  ollama: 'ollama-chat',
};

const paths: Readonly<Record<OutboundName, string>> = {
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
  'ollama-chat': '/api/chat',
};

/**
 * The API in which a turn is sent. In this order: the one declared for the model or the upstream, the one learned for
 * the route, the server's own API, the client's API if the server supports more in it, and chat completions.
 */
export function outboundApi({ nearest }: InboundAdapter, { api }: Pick<ModelEntry, 'api'>, route: Route): OutboundName {
  const name = outboundNames[api.value] ?? outboundNames[route.upstream.api] ?? outboundNames[route.api ?? ''];
  if (name !== undefined) return name;
  const { ownApi, richerApi } = engines[route.upstream.kind];
  return ownApi ?? (richerApi === nearest ? nearest : 'openai-chat');
}

/** True if neither the model nor the upstream has its API declared. */
export const choosesApi = ({ api }: Pick<ModelEntry, 'api'>, { upstream }: Route): boolean =>
  api.value === 'auto' && upstream.api === 'auto';

/** The API to try if a server does not have one. */
export const otherApi = (api: OutboundName): OutboundName =>
  api === 'openai-chat' ? 'openai-responses' : 'openai-chat';

/** An API's name in lessons. */
export const nameOfApi = (api: OutboundName): string =>
  Object.entries(outboundNames).find(([, name]) => name === api)?.[0] ?? api;

/** The path of an API, for messages. */
export const pathOfApi = (api: OutboundName): string => paths[api];

/** True if a failure says that the server has no such API. A missing model does not count. */
export function isApiMissing({ status, fault, engine, body = '' }: AttemptFailure): boolean {
  if (engine !== undefined) return false;
  return (
    (status === 404 && !/\bmodel/i.test(body)) ||
    status === 405 ||
    status === 501 ||
    /unexpected endpoint/i.test(fault.message)
  );
}
