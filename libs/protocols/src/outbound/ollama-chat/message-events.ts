import {
  isObject,
  type JsonObject,
  type JsonValue,
  type TurnEvent,
  type UpstreamEvent,
  type Usage,
} from '@callsmith/turn';
import { unknownMembers } from '../../tools.ts';

/** The first event of a response. Its id is generated here: the server sends none. */
export function startOf(from: JsonObject): TurnEvent {
  const created = typeof from.created_at === 'string' ? Date.parse(from.created_at) : Number.NaN;
  return {
    type: 'turn-start',
    choice: 0,
    id: '',
    model: typeof from.model === 'string' ? from.model : '',
    createdAt: Number.isNaN(created) ? 0 : Math.floor(created / 1000),
  };
}

/** The events of a line, or of a whole response. Calls are complete; `calls`: how many came before. */
export function messageEvents({ message, logprobs }: JsonObject, calls: number): UpstreamEvent[] {
  if (!isObject(message)) return [];
  const events: UpstreamEvent[] = [];
  if (isText(message.thinking)) events.push({ type: 'reasoning-delta', choice: 0, text: message.thinking });
  if (isText(message.content)) {
    const extra = Array.isArray(logprobs) && logprobs.length > 0 ? { logprobs: { content: logprobs } } : undefined;
    events.push({ type: 'text-delta', choice: 0, text: message.content, ...(extra && { extra }) });
  }
  const list = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  for (const [at, call] of list.entries()) events.push(callOf(call, calls + at));
  return events;
}

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string' && value !== '';

function callOf(call: JsonValue, index: number): UpstreamEvent {
  if (!isObject(call) || !isObject(call.function)) return { type: 'call-fragment', choice: 0, index, arguments: call };
  const { name, arguments: args } = call.function;
  return {
    type: 'call-fragment',
    choice: 0,
    index,
    ...(typeof call.id === 'string' && call.id !== '' && { id: call.id }),
    ...(typeof name === 'string' && { name }),
    arguments: args ?? {},
  };
}

const durations = ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'] as const;

/** Token counts of the last line. Older servers do not count a fully cached prompt. */
export function usageIn(from: JsonObject): (Usage & { type: 'usage'; choice: number }) | undefined {
  const { prompt_eval_count: input, eval_count: output } = from;
  if (typeof input !== 'number') return undefined;
  return {
    type: 'usage',
    choice: 0,
    inputTokens: input,
    outputTokens: typeof output === 'number' ? output : 0,
    source: 'upstream',
    upstream: {
      prompt_tokens: input,
      completion_tokens: typeof output === 'number' ? output : 0,
      total_tokens: input + (typeof output === 'number' ? output : 0),
    },
  };
}

const knownMembers = new Set([
  'model',
  'created_at',
  'message',
  'done',
  'done_reason',
  'prompt_eval_count',
  'eval_count',
  'logprobs',
  'error',
  ...durations,
]);

/** How a response ends: `done_reason` is `length`, or another reason. */
export function endOf(from: JsonObject, called: boolean): TurnEvent {
  const reason = from.done_reason === 'length' ? 'length' : called ? 'tool_calls' : 'stop';
  const answer = unknownMembers(from, knownMembers);
  return { type: 'turn-end', choice: 0, reason, ...(answer && { answer }) };
}
