import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import { contentText } from './behavior/conversation.ts';
import { hash } from './random.ts';

const vocabulary = 32_000;
const token = / ?[\p{L}\p{N}_]{1,6}|\s{1,8}|[^\s\p{L}\p{N}_]/gu;

/**
 * Splits text into the simulator's tokens: up to six letters with the space before them, a run of white space, or one
 * symbol.
 */
export const splitTokens = (text: string): string[] => text.match(token) ?? [];

/** How many tokens a text has; usage and `/tokenize` both count with it. */
export const countTokens = (text: string): number => splitTokens(text).length;

/** The token ids, as `/tokenize` returns them. */
export const tokenIds = (text: string): number[] => splitTokens(text).map((piece) => hash(piece) % vocabulary);

/** The prompt that the model gets: the messages in ChatML, preceded by the tools as JSON. */
export function renderPrompt(messages: JsonValue | undefined, tools: JsonValue | undefined): string {
  const parts: string[] = [];
  if (Array.isArray(tools) && tools.length > 0) {
    parts.push(`<|im_start|>tools\n${tools.map((tool) => JSON.stringify(tool)).join('\n')}<|im_end|>\n`);
  }
  for (const message of Array.isArray(messages) ? messages : [])
    if (isObject(message)) parts.push(renderMessage(message));
  parts.push('<|im_start|>assistant\n');
  return parts.join('');
}

function renderMessage(message: JsonObject): string {
  const calls = Array.isArray(message.tool_calls)
    ? message.tool_calls.map((call) => JSON.stringify(call)).join('\n')
    : '';
  return `<|im_start|>${String(message.role)}\n${contentText(message.content)}${calls}<|im_end|>\n`;
}
