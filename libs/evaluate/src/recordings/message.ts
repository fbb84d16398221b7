import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import type { Reply, ReplyCall } from './recording.ts';

/** An assistant message of `/v1/chat/completions` as a reply; undefined if it is none. */
export function replyOf(message: JsonValue | undefined): Reply | undefined {
  if (!isObject(message)) return undefined;
  return {
    text: typeof message.content === 'string' ? message.content : '',
    reasoning: textOf(message.reasoning_content) ?? textOf(message.reasoning) ?? '',
    calls: Array.isArray(message.tool_calls) ? message.tool_calls.flatMap(callOf) : [],
  };
}

/** A reply of plain text. */
export const textReply = (text: string): Reply => ({ text, reasoning: '', calls: [] });

/** Tools in any of the forms of these data sets, in that of `/v1/chat/completions`. */
export const toolsOf = (tools: JsonValue | undefined): JsonObject[] =>
  Array.isArray(tools)
    ? tools.filter(isObject).map((tool) => (isObject(tool.function) ? tool : { type: 'function', function: tool }))
    : [];

export const messagesOf = (messages: JsonValue | undefined): JsonObject[] =>
  Array.isArray(messages) ? messages.filter(isObject) : [];

function callOf(call: JsonValue): ReplyCall[] {
  const functionCall = isObject(call) && isObject(call.function) ? call.function : call;
  if (!isObject(functionCall) || typeof functionCall.name !== 'string') return [];
  const args = functionCall.arguments ?? '';
  return [{ name: functionCall.name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }];
}

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
