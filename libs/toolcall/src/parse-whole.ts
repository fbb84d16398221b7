import { MemberCount } from '@callsmith/stream';
import { type JsonValue, parseJson } from '@callsmith/turn';

/**
 * Characters of what can only be processed as a whole: of a call that is held, and of text that is repaired, converted
 * or checked. That takes several passes, during which no other request is served (D-39), and is about 64,000 tokens.
 */
export const longestWhole = 256 * 1024;

/** Allocating members takes longer than their characters suggest, and different names take longest. */
const most = { members: 50_000, names: 5_000 };
/** Characters. A shorter text cannot have too many. */
const shortest = Math.min(2 * most.members, 4 * most.names);

/** True if parsing the text as JSON takes only a few milliseconds. */
export function isParsable(text: string): boolean {
  if (text.length <= shortest) return true;
  if (text.length > longestWhole) return false;
  const count = new MemberCount(most);
  count.push(Buffer.from(text));
  return count.exceeded === undefined;
}

/** Parses untrusted text as `parseJson` does; also `undefined` if that would take long. */
export const parseWhole = (text: string): JsonValue | undefined => (isParsable(text) ? parseJson(text) : undefined);
