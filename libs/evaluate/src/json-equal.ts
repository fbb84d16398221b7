import { isObject, type JsonValue } from '@callsmith/turn';

/** Equal as JSON: keys in any order, strings byte by byte. */
export function jsonEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => jsonEqual(each, other[at]));
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length && keys.every((key) => key in other && jsonEqual(one[key], other[key]))
    );
  }
  return one === other;
}
