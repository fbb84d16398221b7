import {
  type Content,
  Fault,
  isObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type Part,
  type ToolTable,
} from '@callsmith/turn';
import type { ListQuery, StoredResponse } from '../../inbound-adapter.ts';
import { callItem, callItemOf, callPrefix, messageItem, reasoningItem } from './output-items.ts';
import { readTools } from './tools.ts';

/**
 * One page of a stored response's input items, including its earlier conversation, as `GET
 * /v1/responses/:id/input_items` lists them: `limit` (1 to 100, 20 by default), `order` (`desc` by default) and
 * `after`, the id of the item before the page. Throws `invalid_parameter`.
 */
export function inputItems({ messages, response }: StoredResponse, query: ListQuery): JsonObject {
  const { limit = '20', order = 'desc', after } = query;
  const size = Number(limit);
  if (!Number.isInteger(size) || size < 1 || size > 100)
    throw wrongQuery('limit', limit, 'a whole number from 1 to 100');
  if (order !== 'asc' && order !== 'desc') throw wrongQuery('order', order, '"asc" or "desc"');
  const answered = Array.isArray(response.output) && response.output.length > 0;
  const inputMessages = answered && messages.at(-1)?.role === 'assistant' ? messages.slice(0, -1) : messages;
  const all = itemsOf(inputMessages, String(response.id), readTools(response.tools, Number.POSITIVE_INFINITY).tools);
  if (order === 'desc') all.reverse();
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0) throw wrongQuery('after', after, 'the id of an item of this list');
  const data = all.slice(from, from + size);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + size < all.length,
  };
}

const wrongQuery = (param: string, found: string, expected: string): Fault =>
  new Fault('invalid_parameter', `${param} is ${JSON.stringify(found.slice(0, 100))}; it must be ${expected}.`, {
    param,
  });

/** The items of a conversation; their ids are the same in every call. */
function itemsOf(messages: readonly Message[], responseId: string, tools: ToolTable): JsonObject[] {
  const items: JsonObject[] = [];
  const custom = new Set<string>();
  const id = (prefix: string): string => `${prefix}_${responseId.replace(/^resp_/, '')}_i${items.length}`;
  const add = (json: string): void => {
    items.push(JSON.parse(json) as JsonObject);
  };
  for (const message of messages) {
    switch (message.role) {
      case 'assistant': {
        if (message.reasoning) add(reasoningItem(id('rs'), 'completed', message.reasoning));
        const text = textIn(message.content);
        if (text !== '') add(messageItem(id('msg'), 'completed', text));
        for (const call of message.calls) {
          const item = callItemOf({ tools }, call.id, call.name);
          if (item.custom) custom.add(call.id);
          add(callItem(id(callPrefix(item)), 'completed', item, call.arguments));
        }
        break;
      }
      case 'tool':
        items.push({
          id: id('fco'),
          type: custom.has(message.callId) ? 'custom_tool_call_output' : 'function_call_output',
          status: 'completed',
          call_id: message.callId,
          output: typeof message.content === 'string' ? message.content : inputParts(message.content),
        });
        break;
      default:
        items.push({
          id: id('msg'),
          type: 'message',
          status: 'completed',
          role: message.role,
          content: inputParts(message.content),
        });
    }
  }
  return items;
}

const textIn = (content: Content): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('');

const inputParts = (content: Content): JsonValue[] =>
  typeof content === 'string' ? [{ type: 'input_text', text: content }] : (content ?? []).map(inputPart);

/** A part in the form of this API; the inverse of its parsing. */
function inputPart(part: Part): JsonObject {
  switch (part.type) {
    case 'text':
      return { ...part, type: 'input_text' };
    case 'image_url': {
      const image = isObject(part.image_url) ? part.image_url : { url: part.image_url };
      return { type: 'input_image', image_url: image.url ?? null, detail: image.detail ?? 'auto' };
    }
    case 'file':
      return isObject(part.file) ? { type: 'input_file', ...part.file } : part;
    default:
      return part;
  }
}
