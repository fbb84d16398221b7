import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/**
 * Fast path, as nearly all arguments fit: true if all required members are there and each value has the single plain
 * type that its property names. There is then nothing to fit or note. False means only that a full check is needed.
 */
export function isObviouslyValid(value: JsonValue | undefined, schema: JsonObject): boolean {
  const { properties, required } = schema;
  if (branching(schema) || schema.type !== 'object' || schema.enum !== undefined || schema.const !== undefined)
    return false;
  if (!isObject(properties)) return false;
  if (!isObject(value)) return false;
  if (required !== undefined) {
    if (!Array.isArray(required)) return false;
    for (const key of required) if (typeof key !== 'string' || !Object.hasOwn(value, key)) return false;
  }
  for (const key of Object.keys(value))
    if (!Object.hasOwn(properties, key) || !isPlain(value[key], properties[key])) return false;
  return true;
}

function isPlain(value: JsonValue | undefined, of: JsonValue | undefined): boolean {
  if (!isObject(of) || branching(of) || of.enum !== undefined || of.const !== undefined) return false;
  if (typeof value === 'number') return of.type === 'number' || (of.type === 'integer' && Number.isSafeInteger(value));
  return (typeof value === 'string' || typeof value === 'boolean') && of.type === typeof value;
}

const branching = (schema: JsonObject): boolean =>
  schema.$ref !== undefined || schema.anyOf !== undefined || schema.oneOf !== undefined || schema.allOf !== undefined;
