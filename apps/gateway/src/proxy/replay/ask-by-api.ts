import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { type InboundAdapter, inboundAdapters, outboundAdapters } from '@callsmith/protocols';
import { type JsonObject, parseJson, type UpstreamEvent } from '@callsmith/turn';
import { outboundApi } from '../attempts/outbound-api.ts';
import { bodyLimits } from '../request/read-turn.ts';
import { targetOf } from '../upstream/target-of.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { askDirectly, type DirectAnswer } from './ask-directly.ts';

/** Where something is asked: a model on one of its upstreams. */
export interface AskedPlace {
  readonly model: Pick<ModelEntry, 'api' | 'contextLength' | 'keepsReasoning'>;
  readonly route: Route;
}

const chat: InboundAdapter = inboundAdapters['chat-completions'];

/**
 * Asks a model's server by the API that requests to it go by. `body` is a request of chat completions without a model,
 * `members` hold the answer; the answer comes in the form of chat completions as well.
 */
export async function askByApi(
  client: UpstreamClient,
  { model, route }: AskedPlace,
  { body, members, signal }: { readonly body: JsonObject; readonly members: JsonObject; readonly signal: AbortSignal },
): Promise<DirectAnswer> {
  const { upstream, upstreamModel } = route;
  const api = outboundApi(chat, model, route);
  if (api === 'openai-chat')
    return askDirectly(client, upstream, { body: { model: upstreamModel, ...body, ...members }, signal });
  const adapter = outboundAdapters[api];
  const turn = chat.parseRequest({ model: upstreamModel, ...body }, bodyLimits);
  const { path, atRoot, body: sent } = adapter.request(turn, targetOf(route, [], model));
  const answer = await askDirectly(client, upstream, {
    path,
    ...(atRoot && { atRoot }),
    body: { ...sent, ...(adapter.constraintMembers?.(members) ?? members) },
    signal,
  });
  return answer.status === 200 ? { status: 200, text: asCompletion(answer.text, adapter.toEvents) } : answer;
}

/** A reply as a chat completion; one that cannot be read stays as it is. */
function asCompletion(text: string, toEvents: (reply: JsonObject) => UpstreamEvent[]): string {
  try {
    const events = toEvents(parseJson(text) as JsonObject);
    const said = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
    const calls = events.flatMap((event) => (event.type === 'call-fragment' ? [event.arguments] : []));
    const end = events.find((event) => event.type === 'turn-end');
    const message = {
      content: said.join(''),
      tool_calls: calls.map((json) => ({
        function: { arguments: typeof json === 'string' ? json : JSON.stringify(json) },
      })),
    };
    return JSON.stringify({ choices: [{ message, finish_reason: end?.reason }] });
  } catch {
    return text;
  }
}
