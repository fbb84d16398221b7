/** WORD JOINER: invisible, and no tokenizer's special token holds it. */
export const wordJoiner = '\u2060';

/**
 * Keeps markers in a text from acting, and undoes that.
 *
 * A place where a marker begins is found with every word joiner ignored; there one is added behind the marker's
 * first character, or one taken away. Since they never move such a place, taking away undoes adding exactly, for
 * any text, word joiners of its own included.
 */
export interface MarkerEscaper {
  escape(text: string): string;
  /** Markers by their first character, for those who read piece by piece. */
  readonly byFirst: ReadonlyMap<string, readonly string[]>;
}

/** An escaper for these markers. */
export function markerEscaper(markers: readonly string[]): MarkerEscaper {
  const byFirst = new Map<string, string[]>();
  for (const marker of markers) {
    const first = marker.charAt(0);
    byFirst.set(first, [...(byFirst.get(first) ?? []), marker]);
  }
  const alternatives = [...byFirst].map(
    ([first, own]) => `${literal(first)}(?=${own.map((marker) => literal(marker.slice(1))).join('|')})`,
  );
  const places = new RegExp(alternatives.join('|') || '(?!)', 'g');
  return {
    byFirst,
    escape: (text) => (text.includes(wordJoiner) ? addJoiners(text, places) : text.replace(places, `$&${wordJoiner}`)),
  };
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Adds one word joiner behind the first character of each marker, in a text that holds joiners of its own. */
function addJoiners(text: string, places: RegExp): string {
  const plain = text.replaceAll(wordJoiner, '');
  const out: string[] = [];
  let copied = 0;
  let read = 0;
  // the same place, counted without word joiners
  let at = 0;
  let next = nextWordJoiner(text, 0);
  places.lastIndex = 0;
  while (places.test(plain)) {
    const start = places.lastIndex - 1;
    while (start >= at + next - read) {
      at += next - read;
      read = next;
      while (text.charCodeAt(read) === wordJoinerCode) read += 1;
      next = nextWordJoiner(text, read);
    }
    const behind = read + start - at + 1;
    out.push(text.slice(copied, behind), wordJoiner);
    copied = behind;
  }
  if (copied === 0) return text;
  out.push(text.slice(copied));
  return out.join('');
}

const wordJoinerCode = wordJoiner.charCodeAt(0);

/** Index of the next word joiner, or the text's length. */
function nextWordJoiner(text: string, from: number): number {
  const found = text.indexOf(wordJoiner, from);
  return found < 0 ? text.length : found;
}
