import { parseExact } from './exact-numbers.ts';

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object as parsed. `JSON.parse` makes `__proto__` an own property, so reading it is safe; never merge one into another object. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** True for a JSON object: not null, not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses foreign text; `undefined` if it is not JSON. Never throws. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Parses foreign text as `parseExact` does; `undefined` if it is not JSON. Never throws. */
export function parseExactJson(text: string): JsonValue | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** True for text that stands inside a JSON string as it is: printable ASCII without quotes and backslashes. */
export const needsNoEscape = (text: string): boolean => /^[ !#-[\]-~]*$/.test(text);
