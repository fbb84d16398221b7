import type { Dialect, Opener, Reasoning } from '../dialect.ts';
import { WordTree } from './word-tree.ts';

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
const kind: Record<Place, number> = { anywhere: 1, line: 2, answer: 4, fence: 8 };

/** The words that are listened for. */
export class Words {
  private readonly byPlace: Record<Place, Map<string, Word[]>> = {
    anywhere: new Map(),
    line: new Map(),
    answer: new Map(),
    fence: new Map(),
  };
  private readonly byWord: Record<Place, Map<string, Word>> = {
    anywhere: new Map(),
    line: new Map(),
    answer: new Map(),
    fence: new Map(),
  };
  private readonly unworded: Record<Place, Word[]> = { anywhere: [], line: [], answer: [], fence: [] };
  private readonly tree = new WordTree();
  /** By a character's lower eight bits: 0 where nothing begins with it in the middle of a line, not even code or a line. */
  readonly stops = new Uint8Array(256);
  /** Finds such characters in ASCII text. */
  readonly stop: RegExp;

  constructor(
    entries: Iterable<{ word: string; at: Place; meaning: Meaning }>,
    private readonly base?: Words,
  ) {
    if (base) this.copy(base);
    for (const { word, at, meaning } of entries) {
      for (const place of countsAt[at]) this.add(place, word, meaning);
      if (word !== '')
        this.tree.add(
          word,
          countsAt[at].reduce((kinds, place) => kinds | kind[place], 0),
        );
    }
    for (const place of places) {
      for (const list of this.byPlace[place].values()) {
        list.sort((a, b) => b.word.length - a.word.length);
        for (const word of list) this.byWord[place].set(word.word, word);
      }
    }
    for (const char of ['\n', '`']) this.stops[char.charCodeAt(0)] = 1;
    this.tree.markFirsts(this.stops, kind.anywhere);
    base?.tree.markFirsts(this.stops, kind.anywhere);
    const codes = [...this.stops.subarray(0, 128).keys()].filter((code) => this.stops[code] !== 0);
    this.stop = new RegExp(`[${codes.map((code) => `\\x${code.toString(16).padStart(2, '0')}`).join('')}]`, 'g');
  }

  /** Whether a word begins here at this place: 'open' where the text ends before that is clear. */
  begin(text: string, at: number, place: Place): 'yes' | 'no' | 'open' {
    const own = this.tree.begins(text, at, kind[place]);
    if (own === 'yes' || !this.base) return own;
    const common = this.base.tree.begins(text, at, kind[place]);
    return common === 'no' ? own : common;
  }

  /** The words that stand here at this place, the longest first; where the text ends too soon, all that may. */
  at(text: string, at: number, place: Place): readonly Word[] {
    const all = this.from(text.charAt(at), place);
    if (all.length === 0) return none;
    const lengths = new Set<number>();
    const clear =
      this.tree.measure(text, at, kind[place], lengths) &&
      (this.base?.tree.measure(text, at, kind[place], lengths) ?? true);
    if (!clear) return all;
    const found: Word[] = [];
    for (const length of [...lengths].sort((a, b) => b - a)) {
      const word = this.byWord[place].get(text.slice(at, at + length));
      if (word) found.push(word);
    }
    return found;
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
