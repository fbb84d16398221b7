import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/** The types of values, as JSON Schema names them. */
export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

const aliases: Record<string, JsonType> = {
  null: 'null',
  none: 'null',
  boolean: 'boolean',
  bool: 'boolean',
  integer: 'integer',
  int: 'integer',
  number: 'number',
  float: 'number',
  double: 'number',
  string: 'string',
  str: 'string',
  text: 'string',
  array: 'array',
  list: 'array',
  tuple: 'array',
  object: 'object',
  dict: 'object',
};

/** Most references and branches that are followed for one value; client schemas are untrusted. */
const mostSteps = 32;
/** Longer references and type names are treated as unknown. */
const longestReference = 4096;
const longestType = 32;

/** The schema itself and every branch of it that a value may follow (`$ref`, `anyOf`, `oneOf`, `allOf`). */
export function branches(schema: JsonValue | undefined, root: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  const open: (JsonValue | undefined)[] = [schema];
  for (let steps = 0; open.length > 0 && steps < mostSteps; steps++) {
    const next = open.shift();
    if (!isObject(next)) continue;
    found.push(next);
    if (typeof next.$ref === 'string') open.push(resolveReference(next.$ref, root));
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      const list = next[key];
      if (Array.isArray(list)) open.push(...list.slice(0, mostSteps));
    }
  }
  return found;
}

/** The target of a local reference (`#/$defs/…`); undefined if there is none. */
export function resolveReference(ref: string, root: JsonObject): JsonValue | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/') || ref.length > longestReference) return undefined;
  let at: JsonValue | undefined = root;
  for (const step of ref.slice(2).split('/', mostSteps)) {
    const key = unescapeStep(step);
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

/** "`a~1b%20c`" → "a/b c". The percent signs are decoded first (RFC 6901, section 6). */
const unescapeStep = (step: string): string => decodePercent(step).replaceAll('~1', '/').replaceAll('~0', '~');

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The types that the schema itself names, without its branches; empty if it names none, or an unknown one. */
export function ownTypes(schema: JsonObject): Set<JsonType> {
  const types = new Set<JsonType>();
  const named = Array.isArray(schema.type) ? schema.type.slice(0, 8) : [schema.type];
  for (const name of named) {
    const type = typeof name === 'string' && name.length <= longestType ? name.toLowerCase() : '';
    if (!Object.hasOwn(aliases, type)) return new Set();
    types.add(aliases[type] as JsonType);
  }
  return types;
}

/** The types that a schema without `type` implies by its other keywords. */
export function impliedTypes(schema: JsonObject): Set<JsonType> {
  const types = new Set<JsonType>();
  if (Array.isArray(schema.enum)) for (const member of schema.enum.slice(0, 256)) types.add(typeOf(member));
  if (schema.const !== undefined) types.add(typeOf(schema.const));
  if (isObject(schema.properties)) types.add('object');
  if (schema.items !== undefined) types.add('array');
  return types;
}

/** True if `types` includes `type`; an integer is a number too. */
export const hasType = (types: ReadonlySet<JsonType>, type: JsonType): boolean =>
  types.has(type) || (type === 'integer' && types.has('number'));

/** Every type that the schema allows; empty if it names none. */
export function allowedTypes(schema: JsonValue | undefined, root: JsonObject): Set<JsonType> {
  const types = new Set<JsonType>();
  for (const branch of branches(schema, root)) {
    for (const type of ownTypes(branch)) types.add(type);
    if (branch.nullable === true) types.add('null');
    if (branch.type === undefined) for (const type of impliedTypes(branch)) types.add(type);
  }
  if (types.has('number')) types.add('integer');
  return types;
}

/** A value's own type. */
export function typeOf(value: JsonValue | undefined): JsonType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** The schema of an object's property. */
export function propertySchema(schema: JsonValue | undefined, root: JsonObject, key: string): JsonValue | undefined {
  for (const branch of branches(schema, root)) {
    if (isObject(branch.properties) && Object.hasOwn(branch.properties, key)) return branch.properties[key];
  }
  return undefined;
}

export function itemSchema(schema: JsonValue | undefined, root: JsonObject): JsonValue | undefined {
  for (const branch of branches(schema, root)) if (isObject(branch.items)) return branch.items;
  return undefined;
}
