import { isDeeper, type JsonValue, parseExactJson } from '@callsmith/turn';

/** Much deeper than any response, and far below the depth that would overflow the stack of a serializer. */
const deepest = 1000;

/**
 * Parses a model server's output, a whole response or one event; `undefined` if it is not JSON, or nested too deeply to
 * be serialized again. A leading byte order mark is skipped, as clients do.
 */
export function parseReply(text: string): JsonValue | undefined {
  const value = parseExactJson(text.startsWith('\ufeff') ? text.slice(1) : text);
  return value !== undefined && text.length > 2 * deepest && isDeeper(value, deepest) ? undefined : value;
}
