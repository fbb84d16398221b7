import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { engines, type InboundAdapter, type OutboundName } from '@callsmith/protocols';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';

/** The names of APIs in settings and lessons. */
const outboundNames: Readonly<Record<string, OutboundName>> = { chat: 'openai-chat', responses: 'openai-responses' };

/**
 * Which API a turn is asked by: the declared one, else the one that was learned there, else chat completions, but where a
 * server keeps more apart on an API that the client's own has room for.
 */
export function outboundApi({ nearest }: InboundAdapter, { api }: Pick<ModelEntry, 'api'>, route: Route): OutboundName {
  const known = outboundNames[api.value] ?? outboundNames[route.api ?? ''];
  if (known !== undefined) return known;
  return engines[route.upstream.kind].fullerOn === nearest ? nearest : 'openai-chat';
}

export const otherApi = (api: OutboundName): OutboundName =>
  api === 'openai-chat' ? 'openai-responses' : 'openai-chat';

/** An API's name in lessons. */
export const nameOfApi = (api: OutboundName): string => (api === 'openai-chat' ? 'chat' : 'responses');

/** True if a failure says that the server has no such API. A model that is not there is another matter. */
export function isApiMissing({ status, fault, engine, body = '' }: AttemptFailure): boolean {
  if (engine !== undefined) return false;
  return (
    (status === 404 && !/\bmodel/i.test(body)) ||
    status === 405 ||
    status === 501 ||
    /unexpected endpoint/i.test(fault.message)
  );
}
