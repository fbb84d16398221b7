import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import type { Call } from './answer.ts';
import { propertiesOf } from './arguments.ts';
import type { Conversation } from './conversation.ts';
import type { OfferedTool } from './offered-tool.ts';

/** `customer.address.zip: "04711"`, `items[0].qty: 3` */
const line = /^([a-z]\w*(?:\.\w+|\[\d{1,2}\])*): (.+)$/gim;

/**
 * The call of the tool that takes the values which the request lists, one per line; undefined if it lists none, or if
 * the call was made already.
 */
export function listedCall({ task, exchanges }: Conversation, tools: readonly OfferedTool[]): Call | undefined {
  const values: JsonObject = {};
  for (const [, path = '', text = ''] of task.slice(0, 8_000).matchAll(line)) {
    const value = parseJson(text);
    if (value === undefined) return undefined;
    place(values, path.match(/\w+/g) ?? [], value);
  }
  const keys = Object.keys(values);
  if (keys.length === 0) return undefined;
  const tool = tools.find(({ schema }) => {
    const names = propertiesOf(schema).map(([name]) => name);
    return keys.every((key) => names.includes(key));
  });
  if (tool === undefined || exchanges.some(({ call }) => call.includes(tool.name))) return undefined;
  return { name: tool.name, arguments: values };
}

/** Sets a value at its path; a number in the path creates an array. */
function place(values: JsonObject | JsonValue[], [key = '', ...rest]: readonly string[], value: JsonValue): void {
  const inner = rest.length === 0 ? value : (memberOf(values, key) ?? (/^\d+$/.test(rest[0] ?? '') ? [] : {}));
  if (Array.isArray(values)) values[Number(key)] = inner;
  else values[key] = inner;
  if (rest.length > 0 && (isObject(inner) || Array.isArray(inner))) place(inner, rest, value);
}

const memberOf = (values: JsonObject | JsonValue[], key: string): JsonValue | undefined =>
  Array.isArray(values) ? values[Number(key)] : values[key];
