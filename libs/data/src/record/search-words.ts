/** Longer words are found by so many of their characters. */
const LONGEST_WORD = 60;
/** Postgres keeps no higher place of a word; words behind it are found, phrases there are not. */
const LAST_PLACE = 16_383;
/** Nor more places of one word. */
const MOST_PLACES = 255;
/** Shorter words are looked for as they stand: too many begin with them. */
const SHORTEST_BEGINNING = 3;

const UNSPACED = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
const WORD = new RegExp(String.raw`${UNSPACED}|[[\p{L}\p{N}\p{M}]--${UNSPACED}]+`, 'gv');

/**
 * The words of a text, in small letters: runs of letters and digits, and each character of a script without spaces. Made
 * here and not by Postgres, whose words depend on the database's locale and take paths and addresses for one.
 */
const wordsOf = (text: string): string[] =>
  (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).map((word) =>
    word.length <= LONGEST_WORD ? word : [...word].slice(0, LONGEST_WORD).join(''),
  );

/** A text as Postgres's type `tsvector` reads it. */
export function textVector(text: string): string {
  const places = new Map<string, number[]>();
  for (const [index, word] of wordsOf(text).entries()) {
    const known = places.get(word);
    if (known === undefined) places.set(word, [Math.min(index + 1, LAST_PLACE)]);
    else if (known.length < MOST_PLACES && index < LAST_PLACE) known.push(index + 1);
  }
  return Array.from(places, ([word, at]) => `'${word}':${at.join(',')}`).join(' ');
}

/**
 * What a person looks for, as Postgres's type `tsquery` reads it: all of its parts, each of which is what stands between
 * spaces or in quotes. The words of a part stand side by side; the last one, if it is not in quotes, may go on.
 * Undefined: there is no word in it.
 */
export function textQuery(asked: string): string | undefined {
  const parts = Array.from(asked.matchAll(/"([^"]*)"?|[^\s"]+/g), ([part, quoted]) => {
    const words = wordsOf(quoted ?? part);
    const last = words.at(-1) ?? '';
    const goesOn = quoted === undefined && last.length >= SHORTEST_BEGINNING;
    return words.map((word, place) => `'${word}'${goesOn && place === words.length - 1 ? ':*' : ''}`).join(' <-> ');
  });
  const some = parts.filter((part) => part !== '');
  return some.length === 0 ? undefined : some.map((part) => `(${part})`).join(' & ');
}
