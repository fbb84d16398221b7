import { copyNumberSources, isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/** Keywords of this API whose JSON schema names are not their camel case, and those without one. */
const dropped = new Set(['propertyOrdering', 'property_ordering', 'nullable']);
const camel: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  min_items: 'minItems',
  max_items: 'maxItems',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  additional_properties: 'additionalProperties',
};

/** Counts, which protocol buffers write as strings if they have 64 bits. */
const counts = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']);

/**
 * This API's own schemas as JSON schema: types in capitals, `nullable`, counts as strings
 * (https://ai.google.dev/api/caching#Schema). The nesting of `schema` is limited already.
 */
export function jsonSchemaOf(schema: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(schema)) return schema;
  const read: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key)) continue;
    const name = camel[key] ?? key;
    const next = keywordOf(name, value);
    if (next !== undefined) read[name] = next;
  }
  copyNumberSources(schema, read);
  if (schema.nullable !== true) return read;
  if (typeof read.type === 'string') read.type = [read.type, 'null'];
  if (Array.isArray(read.enum) && !read.enum.includes(null)) read.enum = [...read.enum, null];
  if (Array.isArray(read.anyOf)) read.anyOf = [...read.anyOf, { type: 'null' }];
  return read;
}

function keywordOf(name: string, value: JsonValue | undefined): JsonValue | undefined {
  switch (name) {
    case 'type':
      if (typeof value !== 'string') return value;
      return value === 'TYPE_UNSPECIFIED' ? undefined : value.toLowerCase();
    case 'properties':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([property, of]) => [property, jsonSchemaOf(of) ?? null]))
        : value;
    case 'items':
    case 'additionalProperties':
      return jsonSchemaOf(value);
    case 'anyOf':
      return Array.isArray(value) ? value.map((one) => jsonSchemaOf(one) ?? null) : value;
    default:
      return counts.has(name) && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  }
}
