import {
  type CallFragment,
  copyNumberSources,
  type FinishReason,
  isObject,
  type JsonObject,
  type JsonValue,
  type TurnEvent,
  type UpstreamEvent,
} from '@callsmith/turn';
import { unknownMembers } from '../../tools.ts';

/**
 * The events of a delta, or of a whole message: reasoning, text, call fragments. Accepts what engines send instead of
 * the documented form: content as parts, arguments as an object, no ids, calls without the `function` wrapper, one call
 * instead of a list, the legacy `function_call`, a call directly on the delta (M-6).
 */
export function deltaEvents(delta: JsonObject, choice: number): UpstreamEvent[] {
  const events: UpstreamEvent[] = [];
  const reasoning = textIn(delta.reasoning_content) || textIn(delta.reasoning) || thinkingIn(delta.content);
  if (reasoning !== '') events.push({ type: 'reasoning-delta', choice, text: reasoning });
  const text = textIn(delta.content);
  const extra = unknownFields(delta);
  if (text !== '' || extra) events.push({ type: 'text-delta', choice, text, ...(extra && { extra }) });
  for (const call of callsIn(delta)) events.push(fragment(call, choice));
  return events;
}

/** The events of a choice, of a chunk or of a whole response. */
export function choiceEvents(from: JsonObject, index: number): UpstreamEvent[] {
  const delta = isObject(from.delta) ? from.delta : isObject(from.message) ? from.message : {};
  const events = deltaEvents(delta, index);
  const { logprobs } = from;
  if (!isObject(logprobs)) return events;
  // Log probabilities belong to the delta's text.
  const at = events.findIndex((event) => event.type === 'text-delta');
  const text = events[at];
  if (text?.type === 'text-delta') events[at] = { ...text, extra: { ...text.extra, logprobs } };
  return events;
}

/** The index of a choice; `otherwise` if it has no plausible one. */
export const choiceIndex = ({ index }: JsonObject, otherwise: number): number =>
  Number.isInteger(index) && (index as number) >= 0 && (index as number) < maxChoices ? (index as number) : otherwise;

/** As many choices as the API allows a request to ask for. */
export const maxChoices = 128;

function textIn(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

/** Mistral's own server puts reasoning into content parts: `{"type":"thinking","thinking":[{"type":"text","text":…}]}`. */
function thinkingIn(content: JsonValue | undefined): string {
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) && part.type === 'thinking' ? textIn(part.thinking) : '')).join('');
}

const knownMembers = new Set([
  'role',
  'content',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'tool_calls',
  'function_call',
  'name',
  'arguments',
  'parsed',
  'tool_call_id',
]);

function unknownFields(delta: JsonObject): JsonObject | undefined {
  let extra: JsonObject | undefined;
  for (const key in delta) {
    const value = delta[key];
    if (knownMembers.has(key) || value === null || (Array.isArray(value) && value.length === 0)) continue;
    extra ??= {};
    extra[key] = value;
  }
  if (extra) copyNumberSources(delta, extra);
  return extra;
}

const answerMembers = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'error']);

/** The unknown members of a chunk, or of a whole response. */
export const answerExtra = (from: JsonObject): JsonObject | undefined => unknownMembers(from, answerMembers);

const choiceMembers = new Set(['index', 'delta', 'message', 'text', 'logprobs', 'finish_reason']);

/** The unknown members of a choice that ends. */
export const choiceExtra = (from: JsonObject): JsonObject | undefined => unknownMembers(from, choiceMembers);

function callsIn(delta: JsonObject): readonly JsonValue[] {
  if (Array.isArray(delta.tool_calls)) return delta.tool_calls;
  if (isObject(delta.tool_calls)) return [delta.tool_calls];
  if (isObject(delta.function_call)) return [{ index: 0, ...delta.function_call }];
  return typeof delta.name === 'string' && delta.arguments !== undefined
    ? [{ name: delta.name, arguments: delta.arguments }]
    : [];
}

function fragment(call: JsonValue, choice: number): CallFragment {
  if (!isObject(call)) return { type: 'call-fragment', choice, arguments: call };
  const functionCall = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : call;
  const args = functionCall.arguments ?? functionCall.parameters ?? functionCall.input;
  return {
    type: 'call-fragment',
    choice,
    ...(typeof call.index === 'number' && { index: call.index }),
    ...(typeof call.id === 'string' && { id: call.id }),
    ...(typeof functionCall.name === 'string' && { name: functionCall.name }),
    ...(args !== undefined && { arguments: args }),
  };
}

/** The upstream's finish reason in the neutral form; `undefined` for one that reports a failure. */
export function finishReason(word: string): FinishReason | undefined {
  switch (word) {
    case 'length':
    case 'max_tokens':
      return 'length';
    case 'tool_calls':
    case 'function_call':
    case 'tool_use':
      return 'tool_calls';
    case 'content_filter':
      return 'content_filter';
    case 'error':
    case 'abort':
      return undefined;
    default:
      return 'stop';
  }
}

/** The first event of a choice. */
export function turnStart(from: JsonObject, choice: number): TurnEvent {
  const extra = answerExtra(from);
  return {
    type: 'turn-start',
    choice,
    id: typeof from.id === 'string' ? from.id : '',
    model: typeof from.model === 'string' ? from.model : '',
    createdAt: typeof from.created === 'number' ? from.created : 0,
    ...(extra && { extra }),
  };
}
