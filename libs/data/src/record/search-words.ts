/** Longer words are indexed by this many characters. */
const LONGEST_WORD = 60;
/** Postgres stores no higher position of a word; words after it are found, phrases there are not. */
const LAST_PLACE = 16_383;
/** Nor more positions of one word. */
const MOST_PLACES = 255;
/** Shorter words are matched exactly: too many words begin with them. */
const SHORTEST_BEGINNING = 3;

const UNSPACED = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
const WORD = new RegExp(String.raw`${UNSPACED}|[[\p{L}\p{N}\p{M}]--${UNSPACED}]+`, 'gv');

/**
 * The words of a text, in lower case: runs of letters and digits, and each character of a script without spaces. Split
 * here and not by Postgres, whose parser depends on the database's locale and treats paths and addresses as one word.
 */
const wordsOf = (text: string): string[] =>
  (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).map((word) =>
    word.length <= LONGEST_WORD ? word : [...word].slice(0, LONGEST_WORD).join(''),
  );

/** A text in the syntax of Postgres's type `tsvector`. */
export function textVector(text: string): string {
  const places = new Map<string, number[]>();
  for (const [index, word] of wordsOf(text).entries()) {
    const positions = places.get(word);
    if (positions === undefined) places.set(word, [Math.min(index + 1, LAST_PLACE)]);
    else if (positions.length < MOST_PLACES && index < LAST_PLACE) positions.push(index + 1);
  }
  return Array.from(places, ([word, at]) => `'${word}':${at.join(',')}`).join(' ');
}

/**
 * A search in the syntax of Postgres's type `tsquery`: all parts must match; a part is what is between spaces or in
 * quotes. The words of a part must be adjacent; the last one, unless quoted, may be a prefix. Undefined: it contains no
 * word.
 */
export const textQuery = (searchText: string): string | undefined => queryOf(searchText, '<->');

/** The same without regard to which words are adjacent: all that the index tells without reading the texts. */
export const wordsQuery = (searchText: string): string | undefined => queryOf(searchText, '&');

function queryOf(searchText: string, between: '<->' | '&'): string | undefined {
  const parts = Array.from(searchText.matchAll(/"([^"]*)"?|[^\s"]+/g), ([part, quoted]) => {
    const words = wordsOf(quoted ?? part);
    const last = words.at(-1) ?? '';
    const goesOn = quoted === undefined && last.length >= SHORTEST_BEGINNING;
    return words
      .map((word, place) => `'${word}'${goesOn && place === words.length - 1 ? ':*' : ''}`)
      .join(` ${between} `);
  });
  const some = parts.filter((part) => part !== '');
  return some.length === 0 ? undefined : some.map((part) => `(${part})`).join(' & ');
}
