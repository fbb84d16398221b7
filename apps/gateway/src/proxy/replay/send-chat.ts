import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { type InboundAdapter, inboundAdapters, outboundAdapters } from '@callsmith/protocols';
import { type JsonObject, parseJson, type UpstreamEvent } from '@callsmith/turn';
import { outboundApi } from '../attempts/outbound-api.ts';
import { bodyLimits } from '../request/read-turn.ts';
import { targetOf } from '../upstream/target-of.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { type DirectResponse, sendDirect } from './send-direct.ts';

/** A model and the route by which it gets a probe's request. */
export interface ProbedModel {
  readonly model: Pick<ModelEntry, 'api' | 'contextLength' | 'keepsReasoning'>;
  readonly route: Route;
}

const chat: InboundAdapter = inboundAdapters['chat-completions'];

/**
 * Sends a request to a model's server in the API that client requests to the model use. `body`: a chat completions
 * request without its model; `members`: added to the request to constrain the response. The response is in the form of
 * chat completions, whatever the API. See `sendDirect` for failures.
 */
export async function sendChat(
  client: UpstreamClient,
  { model, route }: ProbedModel,
  { body, members, signal }: { readonly body: JsonObject; readonly members: JsonObject; readonly signal: AbortSignal },
): Promise<DirectResponse> {
  const { upstream, upstreamModel } = route;
  const api = outboundApi(chat, model, route);
  if (api === 'openai-chat')
    return sendDirect(client, upstream, { body: { model: upstreamModel, ...body, ...members }, signal });
  const adapter = outboundAdapters[api];
  const turn = chat.parseRequest({ model: upstreamModel, ...body }, bodyLimits);
  const { path, atRoot, body: sent } = adapter.request(turn, targetOf(route, [], model));
  const answer = await sendDirect(client, upstream, {
    path,
    ...(atRoot && { atRoot }),
    body: { ...sent, ...(adapter.constraintMembers?.(members) ?? members) },
    signal,
  });
  return answer.status === 200 ? { status: 200, text: asCompletion(answer.text, adapter.toEvents) } : answer;
}

/** Rewrites a response of another API as a chat completion. One that cannot be parsed is returned unchanged. */
function asCompletion(text: string, toEvents: (reply: JsonObject) => UpstreamEvent[]): string {
  try {
    const events = toEvents(parseJson(text) as JsonObject);
    const texts = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
    const calls = events.flatMap((event) => (event.type === 'call-fragment' ? [event.arguments] : []));
    const end = events.find((event) => event.type === 'turn-end');
    const message = {
      content: texts.join(''),
      tool_calls: calls.map((json) => ({
        function: { arguments: typeof json === 'string' ? json : JSON.stringify(json) },
      })),
    };
    return JSON.stringify({ choices: [{ message, finish_reason: end?.reason }] });
  } catch {
    return text;
  }
}
