import { isObject, type JsonObject, type JsonValue, type Tool, type ToolTable } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { example } from '../families/tool-prompt.ts';
import { resolveReference } from '../finalize/schema.ts';
import { validateArguments } from '../finalize/validate-arguments.ts';
import { escaperFor } from './live-markers.ts';

/** Maximum tools considered, levels of a schema, and characters of an example's arguments. */
const mostTools = 100;
const maxDepth = 6;
const longestArguments = 400;

/** A call of a tool with made-up values. */
interface Example {
  readonly name: string;
  readonly arguments: string;
  /** A value is an object or a list. */
  readonly nested: boolean;
}

/**
 * One or two calls of the tools on offer as the dialect writes them: the shortest, and one with an object or a list, or
 * else the longest. The same for the same tools. Undefined: no tool gives one that is sure to be parsed as intended.
 */
export function exampleCalls(tools: ToolTable, dialect: Dialect): string | undefined {
  const found = tools.list.slice(0, mostTools).flatMap((tool) => exampleOf(tool, tools, dialect) ?? []);
  const bySize = [...found].sort((a, b) => a.arguments.length - b.arguments.length);
  const [first] = bySize;
  if (first === undefined) return undefined;
  const second = bySize.find(({ nested, name }) => nested && name !== first.name) ?? bySize.at(-1);
  const shown = second === undefined || second === first || first.nested ? [first] : [first, second];
  return [
    shown.length === 1 ? 'An example of a call, with made-up values:' : 'Examples of calls, with made-up values:',
    ...shown.map((call) => dialect.renderCall({ ...example, ...call })),
  ].join('\n\n');
}

function exampleOf(tool: Tool, tools: ToolTable, dialect: Dialect): Example | undefined {
  const { name, parameters, brief } = tool;
  if (brief || parameters === undefined) return undefined;
  const value = madeUp(parameters, { root: parameters, name: '', depth: 0 });
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  const json = JSON.stringify(value);
  if (json.length > longestArguments || validateArguments(json, parameters) !== 'valid') return undefined;
  // A marker from the schema would end the call.
  if (escaperFor(dialect, tools).escape(json) !== json) return undefined;
  const call = { name, arguments: json };
  if (dialect.canExpress?.({ ...example, ...call }, tool) === false) return undefined;
  return { ...call, nested: Object.values(value).some((one) => typeof one === 'object') };
}

interface Place {
  readonly root: JsonObject;
  /** The parameter's. */
  readonly name: string;
  readonly depth: number;
}

/** A value that a schema probably accepts; undefined: none is known. */
function madeUp(schema: JsonValue | undefined, place: Place): JsonValue | undefined {
  const { root, name, depth } = place;
  if (depth > maxDepth) return undefined;
  const inner = { ...place, depth: depth + 1 };
  if (!isObject(schema)) return textOf(name);
  if (typeof schema.$ref === 'string') return madeUp(resolveReference(schema.$ref, root) ?? false, inner);
  const exampleValue = givenValue(schema);
  if (exampleValue !== undefined) return exampleValue;
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const list = schema[key];
    const first = Array.isArray(list) ? list.find((one) => !isObject(one) || one.type !== 'null') : undefined;
    if (first !== undefined && schema.type === undefined && schema.properties === undefined)
      return madeUp(first, inner);
  }
  switch (typeIn(schema)) {
    case 'object':
      return objectOf(schema, inner);
    case 'array': {
      const item = madeUp(schema.items, inner);
      return item === undefined ? undefined : [item];
    }
    case 'integer':
      return typeof schema.minimum === 'number' ? Math.max(1, Math.ceil(schema.minimum)) : 1;
    case 'number':
      return typeof schema.minimum === 'number' ? Math.max(1, schema.minimum) : 1.5;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.pattern === undefined ? textOf(name, schema.format) : undefined;
  }
}

const givenValue = ({ const: only, enum: list, examples, default: usual }: JsonObject): JsonValue | undefined => {
  const first = (all: JsonValue | undefined): JsonValue | undefined => (Array.isArray(all) ? all[0] : undefined);
  return only ?? first(list) ?? first(examples) ?? usual ?? undefined;
};

function typeIn({ type, properties, items }: JsonObject): JsonValue | undefined {
  if (Array.isArray(type)) return type.find((one) => one !== 'null');
  return type ?? (properties !== undefined ? 'object' : items !== undefined ? 'array' : undefined);
}

/** The required members, or the first one if none is. */
function objectOf({ properties, required }: JsonObject, place: Place): JsonObject | undefined {
  const all = isObject(properties) ? Object.entries(properties) : [];
  const needed = all.filter(([name]) => Array.isArray(required) && required.includes(name));
  const made: [string, JsonValue][] = [];
  for (const [name, schema] of needed.length > 0 ? needed : all.slice(0, 1)) {
    const value = madeUp(schema, { ...place, name });
    if (value === undefined) return undefined;
    made.push([name, value]);
  }
  return Object.fromEntries(made);
}

const formats: Readonly<Record<string, string>> = {
  date: '2025-01-31',
  'date-time': '2025-01-31T12:00:00Z',
  time: '12:00:00',
  email: 'someone@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
};

/** A text that describes the value. */
const textOf = (name: string, format?: JsonValue): string =>
  (typeof format === 'string' ? formats[format] : undefined) ?? `the ${name.replace(/[_-]+/g, ' ') || 'value'}`;
