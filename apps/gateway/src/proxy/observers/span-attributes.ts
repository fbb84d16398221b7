import { shownTurnId } from '@callsmith/data/ids';
import { redact } from '@callsmith/data/redaction';
import { inboundAdapterOf } from '@callsmith/protocols';
import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import type { Attributes } from '@opentelemetry/api';
import { conversationKey } from '../record/conversation-key.ts';
import { overheadMs, type RequestRecord } from '../record/request-record.ts';
import { withDiscarded } from '../record/response-summary.ts';
import { callRecords, classesOf, outcomeOf } from './outcome.ts';

/** Attributes some of which are not known. */
export type PartialAttributes = Readonly<Record<string, Attributes[string] | undefined>>;

/** Only those that are known. */
export const knownAttributes = (attributes: PartialAttributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes;

/** The operation of a request, by the names of the conventions. */
export function operationOf(path: string): string {
  if (path.endsWith('/embeddings')) return 'embeddings';
  return path === '/v1/completions' ? 'text_completion' : (inboundAdapterOf(path).operation ?? 'chat');
}

/** The address of a model server. `baseUrl`: of its upstream. */
export function serverOf(baseUrl: string): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl);
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) };
}

/**
 * The common attributes of an inference request and its metrics: closed sets only. The model is a configured one, never
 * the requested text.
 */
export function commonAttributes({ request, attempts, response }: RequestRecord): Attributes {
  const { route } = attempts;
  return knownAttributes({
    'gen_ai.operation.name': operationOf(request.path),
    'gen_ai.provider.name': route?.upstream.kind ?? 'openai',
    'gen_ai.request.model': request.model?.name,
    'gen_ai.response.model': route?.upstreamModel,
    ...(route && serverOf(route.upstream.baseUrl)),
    'error.type': response.clientClosed ? 'client_disconnected' : response.fault?.code,
  });
}

/** Tokens of a request, of all its attempts (D-44); undefined if they were not counted. */
export interface TokenCounts {
  /** Those from the prefix cache included. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly reasoning: number | undefined;
}

/**
 * The tokens of a request. Cache writes and reasoning are those that the model server reported for the delivered
 * attempt.
 */
export function tokenCounts({ response: { usage, discarded } }: RequestRecord): TokenCounts | undefined {
  if (usage === undefined && discarded.inputTokens === 0) return undefined;
  const all = withDiscarded(usage ?? { inputTokens: 0, outputTokens: 0 }, discarded);
  const reported = usage?.upstream;
  return {
    input: all.inputTokens,
    output: all.outputTokens,
    cacheRead: all.cachedTokens,
    cacheWrite: countIn(reported, ['prompt_tokens_details', 'input_tokens_details'], 'cache_write_tokens'),
    reasoning: countIn(reported, ['completion_tokens_details', 'output_tokens_details'], 'reasoning_tokens'),
  };
}

function countIn(usage: JsonObject | undefined, members: readonly string[], name: string): number | undefined {
  for (const member of members) {
    const details = usage?.[member];
    const count = isObject(details) ? details[name] : undefined;
    if (typeof count === 'number' && count >= 0) return Math.round(count);
  }
  return undefined;
}

/**
 * The attributes of a request's span, without message content. Names:
 * https://github.com/open-telemetry/semantic-conventions-genai (client inference); `callsmith.*` are custom.
 */
export function requestAttributes(record: RequestRecord): Attributes {
  const { request, attempts, response } = record;
  const { key, model, turn } = request;
  const { fault, notes } = response;
  const calls = callRecords(response);
  const tools = turn?.tools.size ?? 0;
  const tokens = tokenCounts(record);
  const conversation = turn && key && conversationKey(key.id, turn, request.conversation);
  return knownAttributes({
    ...commonAttributes(record),
    ...parameterAttributes(record),
    'gen_ai.conversation.id': conversation,
    'gen_ai.request.stream': request.streamed || undefined,
    'gen_ai.response.id': request.responseId,
    'gen_ai.response.finish_reasons': response.reason && [response.reason],
    'gen_ai.response.time_to_first_chunk': firstChunkSeconds(record),
    'gen_ai.usage.input_tokens': tokens?.input,
    'gen_ai.usage.output_tokens': tokens?.output,
    'gen_ai.usage.cache_read.input_tokens': tokens?.cacheRead,
    'gen_ai.usage.cache_write.input_tokens': tokens?.cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': tokens?.reasoning,
    'session.id': conversation,
    'user.id': key?.holder,
    'http.route': request.path,
    'http.response.status_code': response.status,
    'callsmith.turn': shownTurnId(request.id),
    'callsmith.team': key?.teamId,
    'callsmith.key': key?.id,
    'callsmith.client': request.client,
    'callsmith.upstream': attempts.route?.upstream.name,
    'callsmith.strategy': model?.strategy.value,
    'callsmith.strategy_used': attempts.strategyUsed,
    'callsmith.dialect': attempts.dialect,
    'callsmith.outcome': outcomeOf(calls, notes, tools, fault !== undefined) ?? undefined,
    'callsmith.classes': classesOf(notes),
    'callsmith.tools_offered': tools,
    'callsmith.calls': calls.length,
    'callsmith.attempts': attempts.count,
    'callsmith.streamed': request.streamed,
    'callsmith.added_ms': overheadMs(record),
    'callsmith.first_token_ms': response.firstTokenAt && response.firstTokenAt - request.arrivedAt,
  });
}

/** Seconds from the request to the first text, reasoning or call that was sent. */
export const firstChunkSeconds = ({ request, response }: RequestRecord): number | undefined =>
  response.firstTokenAt === undefined ? undefined : (response.firstTokenAt - request.arrivedAt) / 1000;

/** Longer strings and lists of a request are left out. */
const longestWord = 64;
const longestList = 16;

function parameterAttributes({ request: { path, turn, parameters } }: RequestRecord): PartialAttributes {
  const sampling = turn?.sampling ?? parameters;
  if (sampling === undefined) return {};
  const choices = number(turn?.n ?? sampling.n);
  const previous = turn && inboundAdapterOf(path).storedState?.previousId(turn);
  return {
    'gen_ai.output.type': turn && (isJson(sampling.response_format) ? 'json' : 'text'),
    'gen_ai.request.choice.count': choices === 1 ? undefined : choices,
    'gen_ai.request.seed': number(sampling.seed),
    'gen_ai.request.top_k': number(sampling.top_k),
    'gen_ai.request.max_tokens': number(sampling.max_completion_tokens) ?? number(sampling.max_tokens),
    'gen_ai.request.temperature': number(sampling.temperature),
    'gen_ai.request.top_p': number(sampling.top_p),
    'gen_ai.request.frequency_penalty': number(sampling.frequency_penalty),
    'gen_ai.request.presence_penalty': number(sampling.presence_penalty),
    'gen_ai.request.stop_sequences': words(sampling.stop),
    'gen_ai.request.reasoning.level': words(sampling.reasoning_effort)?.[0],
    'gen_ai.request.previous_response.id': words(previous)?.[0],
  };
}

const isJson = (format: JsonValue | undefined): boolean => isObject(format) && /^json/.test(String(format.type));

const number = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

function words(value: JsonValue | undefined): string[] | undefined {
  const list = (Array.isArray(value) ? value : [value]).filter((word) => typeof word === 'string' && word !== '');
  return list.length === 0
    ? undefined
    : (list as string[]).slice(0, longestList).map((word) => redact(word).slice(0, longestWord));
}
