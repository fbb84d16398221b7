import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import { between } from './between.ts';
import { type Form, pastCalls } from './forms.ts';
import type { OfferedTool } from './offered-tool.ts';
import { partResults, plainResult } from './results.ts';

/** A past call and its result; both as text. */
export interface Exchange {
  readonly call: string;
  readonly result: string;
}

/** What the model understands of the conversation so far. */
export interface Conversation {
  /** All system and developer text. */
  readonly system: string;
  /** All text of the conversation from the client's side, where the working directory may be named. */
  readonly surroundings: string;
  /** The user's last request. */
  readonly task: string;
  /** The calls made for it so far. */
  readonly exchanges: readonly Exchange[];
  /** Responses since that request, with or without calls. */
  readonly answers: number;
}

/** The text of a message's content: a string, or the text of its parts, one per line. */
export function contentText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return contentParts(content).join('\n');
}

function contentParts(content: JsonValue | undefined): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
}

// Cline's nudges and reminders, and the wrappers in which clients and gateways return results as user text.
const nudge = /^\s*(?:\[ERROR\]|# task_progress\b)/;
const resultText =
  /^\s*(?:<tool_(?:response|result|output)|<function_results?>|\[TOOL_RESULTS?\]|\[tool result|\[[\w ]+ (?:for|to) .*\] Result:|Observation:|Tool result|Result of )/i;

/** Parses the conversation; `form` is the text form of calls that the prompt describes, if any. */
export function readConversation(
  messages: JsonValue | undefined,
  tools: readonly OfferedTool[],
  form: Form | undefined,
): Conversation {
  const callsInText = (message: JsonObject) =>
    form === undefined ? [] : pastCalls(form, contentText(message.content), tools);
  const list = (Array.isArray(messages) ? messages : []).filter(isObject);
  const system = list
    .filter((message) => isSystem(message))
    .map((message) => contentText(message.content))
    .join('\n\n');
  const start = taskIndex(list, callsInText);
  const parts = start < 0 ? [] : contentParts(list[start]?.content);
  const after = list.slice(start + 1);
  return {
    system,
    surroundings: list
      .filter((message) => message.role !== 'assistant' && message.role !== 'tool')
      .map((message) => contentText(message.content))
      .join('\n'),
    task: taskText(parts),
    exchanges: readExchanges(after, callsInText, form),
    answers: after.filter((message) => message.role === 'assistant').length,
  };
}

const isSystem = (message: JsonObject): boolean => message.role === 'system' || message.role === 'developer';

/** The calls that a response contains as text. */
type CallsInText = (message: JsonObject) => readonly string[];

/** The last user message that is a request, not a tool's result or a nudge. */
function taskIndex(list: readonly JsonObject[], callsInText: CallsInText): number {
  for (let at = list.length - 1; at >= 0; at--) {
    const message = list[at];
    if (message?.role !== 'user') continue;
    const text = contentText(message.content);
    if (nudge.test(text) || resultText.test(text)) continue;
    const before = list[at - 1];
    if (before?.role === 'assistant' && callsInText(before).length > 0) continue;
    return at;
  }
  return list.findIndex((message) => message.role === 'user');
}

const wraps = ['task', 'user_input', 'user_message', 'user_query', 'user_request'];
const surrounding =
  /<(environment_details|environment_context|system-reminder|env|context|editor_context|user_info|task_progress)>[\s\S]*?(?:<\/\1>|$)/g;

/**
 * The request inside a user message: the content of the client's own wrapper, else the last part that is not context.
 */
function taskText(parts: readonly string[]): string {
  for (const part of parts) {
    const inner = wraps.flatMap((name) => between(part, `<${name}>`, `</${name}>`))[0];
    if (inner !== undefined) return unquote(inner.trim());
  }
  const texts = parts.map((part) => part.replace(surrounding, '').trim()).filter((part) => part !== '');
  return unquote(texts.at(-1) ?? '');
}

// opencode sends the prompt as a JSON string: "\"Read hello.txt …\""
function unquote(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"')) return text;
  const inner = parseJson(text);
  return typeof inner === 'string' ? inner : text;
}

function readExchanges(messages: readonly JsonObject[], callsInText: CallsInText, form: Form | undefined): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const native = nativeCalls(message);
    const following = resultsAfter(messages, at);
    for (const [position, call] of native.entries())
      exchanges.push({ call: call.text, result: nativeResult(following, call.id, position) });
    if (native.length > 0) continue;
    const calls = callsInText(message);
    const results = partResults(
      following.map((message) => contentText(message.content)),
      calls.length,
      form,
    );
    for (const [position, call] of calls.entries()) exchanges.push({ call, result: results[position] ?? '' });
  }
  return exchanges;
}

function nativeCalls(message: JsonObject): { id: string; text: string }[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  return calls.map((call) => {
    const functionObject = isObject(call.function) ? call.function : {};
    return {
      id: String(call.id ?? ''),
      text: `${String(functionObject.name)} ${String(functionObject.arguments ?? '')}`,
    };
  });
}

/** The messages up to the next response. */
function resultsAfter(messages: readonly JsonObject[], at: number): JsonObject[] {
  const end = messages.findIndex((message, index) => index > at && message.role === 'assistant');
  return messages.slice(at + 1, end < 0 ? undefined : end);
}

// Cline's classic core answers a native call with the words "result missing" and sends the result in the next user
// message.
function nativeResult(following: readonly JsonObject[], id: string, position: number): string {
  const results = following.filter((message) => message.role === 'tool');
  const own = results.find((message) => message.tool_call_id === id) ?? results[position];
  const text = contentText(own?.content);
  if (text !== '' && text !== 'result missing') return plainResult(text);
  return plainResult(
    following
      .filter((message) => message.role === 'user')
      .map((message) => contentText(message.content))
      .join('\n'),
  );
}
