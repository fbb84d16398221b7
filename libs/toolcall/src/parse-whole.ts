import { exceededBound } from '@callsmith/stream';
import { type JsonValue, parseJson } from '@callsmith/turn';

/**
 * Characters of what can only be processed as a whole: of a call that is held, and of text that is repaired, converted
 * or checked. That takes several passes, during which no other request is served (D-39), and is about 64,000 tokens.
 */
export const longestWhole = 256 * 1024;

/** Allocating members takes longer than their characters suggest, and different names take longest. */
const most = { members: 50_000, names: 5_000 };

/** True if parsing the text as JSON takes only a few milliseconds. */
export const isParsable = (text: string): boolean =>
  text.length <= longestWhole && exceededBound(text, most) === undefined;

/** Parses untrusted text as `parseJson` does; also `undefined` if that would take long. */
export const parseWhole = (text: string): JsonValue | undefined => (isParsable(text) ? parseJson(text) : undefined);
