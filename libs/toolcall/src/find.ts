import { ContentCache } from './content-cache.ts';
import type { Scanner, Step } from './scanner.ts';

/** A pattern that matches any of the words; with no words it never matches. */
export const wordPattern = (words: readonly string[]): string =>
  words.length === 0 ? '(?!)' : words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');

/** How to find the first of some words. */
interface WordSearch {
  readonly pattern: RegExp;
  /** Characters of the longest word. */
  readonly longest: number;
}

/** The same few words are searched for again and again. */
const searches = new ContentCache<WordSearch>(256, 64 * 1024, ({ pattern }) => pattern.source.length);

/** Advances to the first of `words`, at most by `limit` characters, or to the end of the text; true if one was found. */
export function* findOneOf(scan: Scanner, words: readonly string[], limit = Number.POSITIVE_INFINITY): Step<boolean> {
  const { pattern, longest } = searches.get(words.join('\0'), () => ({
    pattern: new RegExp(wordPattern(words), 'g'),
    longest: Math.max(1, ...words.map((word) => word.length)),
  }));
  return yield* findPattern(scan, pattern, longest, limit);
}

/**
 * Advances to the first match of a global pattern that matches at most `longest` characters, or to the end of the text.
 * Each character is examined once. With `limit` it stops after that many characters.
 */
export function* findPattern(
  scan: Scanner,
  pattern: RegExp,
  longest: number,
  limit = Number.POSITIVE_INFINITY,
): Step<boolean> {
  const last = scan.offset + limit;
  for (;;) {
    pattern.lastIndex = scan.at;
    const found = pattern.exec(
      last < Number.POSITIVE_INFINITY ? scan.text.slice(0, last - scan.base + longest) : scan.text,
    );
    if (found) {
      scan.at = found.index;
      return scan.offset <= last;
    }
    const rest = scan.ended ? scan.text.length : scan.text.length - longest + 1;
    scan.at = Math.max(scan.at, Math.min(rest, last - scan.base));
    if (scan.offset >= last) return false;
    if (!(yield* scan.more())) {
      scan.at = scan.text.length;
      return false;
    }
  }
}
