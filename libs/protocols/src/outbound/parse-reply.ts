import { isDeeper, type JsonValue, parseExactJson } from '@callsmith/turn';

/** Many times as deep as any reply is, and far from where what writes it again would overflow its stack. */
const deepest = 1000;

/**
 * Parses what a model server sent, a whole reply or one event; `undefined` if it is not JSON, or nested too deeply to be
 * written again. A byte order mark before it is skipped, as clients do.
 */
export function parseReply(text: string): JsonValue | undefined {
  const value = parseExactJson(text.startsWith('\ufeff') ? text.slice(1) : text);
  return value !== undefined && text.length > 2 * deepest && isDeeper(value, deepest) ? undefined : value;
}
