import { ContentCache } from './content-cache.ts';
import { longestWhole } from './parse-whole.ts';
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

/** A part of a text, by offsets, in which a search found nothing. */
interface Searched {
  readonly from: number;
  readonly to: number;
}

/** By the words that were searched. Hostile text makes the same search begin again and again and run to its end. */
const searchedInVain = new WeakMap<Scanner, Map<string, Searched>>();

/**
 * Advances to the first of `words`, at most by `limit` characters, or to the end of the text; true if one was found. The
 * text up to there is then processed as a whole, so that the limit is `longestWhole` where none is given.
 */
export function* findOneOf(scan: Scanner, words: readonly string[], limit = longestWhole): Step<boolean> {
  const name = words.join('\0');
  const { pattern, longest } = searches.get(name, () => ({
    pattern: new RegExp(wordPattern(words), 'g'),
    longest: Math.max(1, ...words.map((word) => word.length)),
  }));
  const start = scan.offset;
  const before = searchedInVain.get(scan)?.get(name);
  const continues = before !== undefined && before.from <= start && start < before.to;
  const passed = continues ? Math.min(before.to - start, limit) : 0;
  scan.at += passed;
  let found = false;
  try {
    found = yield* findPattern(scan, pattern, longest, limit - passed);
  } finally {
    // In `finally`, as a generator that waits for more may be abandoned.
    if (!found) noteSearched(scan, name, { from: continues ? before.from : start, to: scan.offset });
  }
  return found;
}

function noteSearched(scan: Scanner, name: string, part: Searched): void {
  const parts = searchedInVain.get(scan);
  if (parts) parts.set(name, part);
  else searchedInVain.set(scan, new Map([[name, part]]));
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
    const most = last - scan.base + longest;
    const found = pattern.exec(most < scan.text.length ? scan.text.slice(0, most) : scan.text);
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
