import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import { allowedTypes, allowedValues, branches, itemSchema, type JsonType, propertySchema, typeOf } from './schema.ts';

const deepest = 16;
const mostValues = 20_000;

/**
 * Checks arguments against the tool's schema: required, types, enums and undeclared properties, nothing that a schema could make slow
 * (no `pattern`, no generated code; depth, size and references are bounded). Answers with the first miss, undefined if there is none.
 */
export function validate(json: string, schema: JsonObject): string | undefined {
  const value = parseJson(json);
  let left = mostValues;
  return value === undefined ? undefined : check(value, schema, 'arguments', 0);

  function check(one: JsonValue, of: JsonValue | undefined, path: string, depth: number): string | undefined {
    if (depth > deepest || left-- <= 0) return undefined;
    const types = allowedTypes(of, schema);
    const type = typeOf(one);
    if (types.size > 0 && !has(types, type)) return `${path} is ${type}, not ${[...types].join(' or ')}`;
    const allowed = allowedValues(of, schema);
    if (allowed && !isObject(one) && !Array.isArray(one) && !allowed.includes(one))
      return `${path} is none of the allowed values`;
    if (Array.isArray(one)) return checkList(one, of, path, depth);
    return isObject(one) ? checkObject(one, of, path, depth) : undefined;
  }

  function checkList(list: JsonValue[], of: JsonValue | undefined, path: string, depth: number): string | undefined {
    const items = itemSchema(of, schema);
    if (items === undefined) return undefined;
    for (let i = 0; i < list.length && left > 0; i++) {
      const miss = check(list[i] as JsonValue, items, `${path}[${i}]`, depth + 1);
      if (miss !== undefined) return miss;
    }
    return undefined;
  }

  function checkObject(object: JsonObject, of: JsonValue | undefined, path: string, depth: number): string | undefined {
    const [own] = branches(of, schema);
    if (Array.isArray(own?.required)) {
      for (const key of own.required.slice(0, 256)) {
        if (typeof key === 'string' && !Object.hasOwn(object, key)) return `${path}.${key} is missing`;
      }
    }
    for (const key of Object.keys(object)) {
      if (left <= 0) return undefined;
      const inner = propertySchema(of, schema, key);
      if (inner === undefined) {
        if (own?.additionalProperties === false) return `${path}.${key} is not in the schema`;
        continue;
      }
      const miss = check(object[key] as JsonValue, inner, `${path}.${key}`, depth + 1);
      if (miss !== undefined) return miss;
    }
    return undefined;
  }
}

const has = (types: ReadonlySet<JsonType>, type: JsonType): boolean =>
  types.has(type) || (type === 'integer' && types.has('number'));
