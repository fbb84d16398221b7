import { isObject, type JsonValue } from '@callsmith/turn';

/** Equal as JSON: keys in any order, strings byte by byte. */
export function equal(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => equal(each, other[at]));
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length && keys.every((key) => key in other && equal(one[key], other[key]))
    );
  }
  return one === other;
}
