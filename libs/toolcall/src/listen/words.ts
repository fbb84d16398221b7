import type { Dialect, Opener, Reasoning } from '../dialect.ts';

/** What a word means where text is being said. */
export type Meaning =
  | {
      readonly kind: 'call';
      readonly dialect: Dialect;
      readonly opener: Opener;
      readonly own: boolean;
      readonly foreign: boolean;
    }
  | { readonly kind: 'escaped-call' }
  | { readonly kind: 'reasoning'; readonly block: Reasoning }
  | { readonly kind: 'reasoning-close' }
  | { readonly kind: 'frame' }
  | { readonly kind: 'stray-close' }
  | { readonly kind: 'turn-token' }
  | { readonly kind: 'result' };

/** Where in the answer we are, or a word counts. */
export type Place = 'anywhere' | 'line' | 'answer' | 'fence';

/** A word that is listened for, with all that it may mean, the likeliest first. */
export interface Word {
  readonly word: string;
  readonly meanings: Meaning[];
}

const places: readonly Place[] = ['anywhere', 'line', 'answer', 'fence'];

/** Where a word counts, by where it says it does. */
const countsAt: Record<Place, readonly Place[]> = {
  anywhere: places,
  line: ['line', 'answer', 'fence'],
  answer: ['answer'],
  fence: ['fence'],
};
const none: readonly Word[] = [];

/** The words that are listened for. */
export class Words {
  /** Finds the next character at which a word could begin, a line or code. */
  readonly stop: RegExp;
  private readonly byPlace: Record<Place, Map<string, Word[]>> = {
    anywhere: new Map(),
    line: new Map(),
    answer: new Map(),
    fence: new Map(),
  };
  private readonly unworded: Record<Place, Word[]> = { anywhere: [], line: [], answer: [], fence: [] };

  constructor(entries: Iterable<{ word: string; at: Place; meaning: Meaning }>, base?: Words) {
    if (base) this.copy(base);
    for (const { word, at, meaning } of entries) {
      for (const place of countsAt[at]) this.add(place, word, meaning);
    }
    for (const place of places) {
      for (const list of this.byPlace[place].values()) list.sort((a, b) => b.word.length - a.word.length);
    }
    this.stop = stopPattern(this.byPlace.anywhere);
  }

  /** The words that may begin with `char` at this place, the longest first. */
  from(char: string, place: Place): readonly Word[] {
    return this.byPlace[place].get(char) ?? none;
  }

  /** Those without a word of their own, whose dialects look for themselves. */
  wordless(place: Place): readonly Word[] {
    return this.unworded[place];
  }

  private copy(base: Words): void {
    for (const place of places) {
      for (const [char, list] of base.byPlace[place]) {
        this.byPlace[place].set(
          char,
          list.map(({ word, meanings }) => ({ word, meanings: [...meanings] })),
        );
      }
      this.unworded[place] = [...base.unworded[place]];
    }
  }

  private add(place: Place, word: string, meaning: Meaning): void {
    let list = this.unworded[place];
    if (word !== '') {
      const char = word[0] as string;
      list = this.byPlace[place].get(char) ?? [];
      this.byPlace[place].set(char, list);
    }
    const same = list.find((entry) => entry.word === word);
    if (same) same.meanings.push(meaning);
    else list.push({ word, meanings: [meaning] });
  }
}

/** A letter or a space alone says too little, so the character behind it is looked at too. */
function stopPattern(words: ReadonlyMap<string, readonly Word[]>): RegExp {
  const plain = ['\\n', '`'];
  const pairs: string[] = [];
  for (const [char, list] of words) {
    if (/[\p{L} ]/u.test(char)) {
      const seconds = new Set(list.map(({ word }) => escapeClass(word[1] ?? '')));
      pairs.push(`${char}(?=[${[...seconds].join('')}]|$)`);
    } else {
      plain.push(escapeClass(char));
    }
  }
  return new RegExp([`[${plain.join('')}]`, ...pairs].join('|'), 'g');
}

const escapeClass = (char: string): string => char.replace(/[\\\]^-]/, '\\$&');
