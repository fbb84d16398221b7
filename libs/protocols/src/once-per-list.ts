import type { JsonValue } from '@callsmith/turn';

/**
 * `read` for the `tools` of a request, of which there may be `most`, always the same number. Requests that repeat their
 * tools share one frozen list of them, and then also what was read from it, which must not be changed.
 */
export function oncePerList<T extends object>(
  read: (value: JsonValue | undefined, most: number) => T,
): (value: JsonValue | undefined, most: number) => T {
  const known = new WeakMap<object, T>();
  return (value, most) => {
    if (!Array.isArray(value) || !Object.isFrozen(value)) return read(value, most);
    let found = known.get(value);
    if (found === undefined) known.set(value, (found = read(value, most)));
    return found;
  };
}
