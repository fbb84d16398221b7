/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/**
 * A parsed JSON object. `JSON.parse` makes `__proto__` an own property, so reading it is safe; never merge one into
 * another object.
 */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** True for a JSON object: not null, not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses untrusted text; `undefined` if it is not JSON. Never throws. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** True for text that needs no escapes in a JSON string: printable ASCII without quotes and backslashes. */
export const needsNoEscape = (text: string): boolean => /^[ !#-[\]-~]*$/.test(text);

/** Approximate number of characters of a value: those of its strings and names, and some for each member. */
export function sizeOf(value: JsonValue | undefined): number {
  let size = 0;
  const waiting: (JsonValue | undefined)[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    size += typeof one === 'string' ? one.length : ofMember;
    if (Array.isArray(one)) for (const item of one) waiting.push(item);
    else if (isObject(one))
      for (const name of Object.keys(one)) {
        size += name.length;
        waiting.push(one[name]);
      }
  }
  return size;
}

const ofMember = 8;

/**
 * True for a value whose objects and arrays are nested more than `levels` deep. Calls itself that deep, and no list of
 * an object's members is made: a response may have a million of them.
 */
export function isDeeper(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const name in value) if (isDeeper(value[name], levels - 1)) return true;
  return false;
}
