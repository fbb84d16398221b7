import type { Dialect, MarkerPosition, OpeningMarker, ReasoningBlock, ResultMarker } from '../dialect.ts';
import { wordPattern } from '../find.ts';
import { MarkerTrie } from './marker-trie.ts';

/** What a word means where text is being said. */
export type MarkerRole =
  | {
      readonly kind: 'call';
      readonly dialect: Dialect;
      readonly opener: OpeningMarker;
      readonly own: boolean;
      readonly foreign: boolean;
    }
  | { readonly kind: 'escaped-call' }
  | { readonly kind: 'reasoning'; readonly block: ReasoningBlock }
  | { readonly kind: 'reasoning-close' }
  /** `besideCall`: left out only with nothing but white space between it and a call. */
  | { readonly kind: 'frame'; readonly besideCall: boolean }
  /** `directly`: only with nothing but white space between it and the call. */
  | { readonly kind: 'stray-close'; readonly directly?: true }
  | { readonly kind: 'turn-end' }
  | { readonly kind: 'result'; readonly marker: ResultMarker };

/** A marker's text, where it counts, and what it then means. */
export interface MarkerEntry {
  readonly text: string;
  readonly at: MarkerPosition;
  readonly role: MarkerRole;
}

/** A word that is listened for, with all that it may mean, the likeliest first. */
export interface Marker {
  readonly text: string;
  readonly roles: MarkerRole[];
}

const positions: readonly MarkerPosition[] = ['anywhere', 'line', 'answer', 'fence'];

/** Where a word counts, by where it says it does. */
const countsAt: Record<MarkerPosition, readonly MarkerPosition[]> = {
  anywhere: positions,
  line: ['line', 'answer', 'fence'],
  answer: ['answer'],
  fence: ['fence'],
};
const none: readonly Marker[] = [];
const kind: Record<MarkerPosition, number> = { anywhere: 1, line: 2, answer: 4, fence: 8 };

/** The words that are listened for. */
export class MarkerSet {
  private readonly byPosition: Record<MarkerPosition, Map<string, Marker[]>> = {
    anywhere: new Map(),
    line: new Map(),
    answer: new Map(),
    fence: new Map(),
  };
  private readonly byText: Record<MarkerPosition, Map<string, Marker>> = {
    anywhere: new Map(),
    line: new Map(),
    answer: new Map(),
    fence: new Map(),
  };
  private readonly textless: Record<MarkerPosition, Marker[]> = { anywhere: [], line: [], answer: [], fence: [] };
  private readonly trie = new MarkerTrie();
  /** By a character's lower eight bits: 0 where nothing begins with it in the middle of a line, not even code or a line. */
  readonly stopCodes = new Uint8Array(256);
  /** Closing markers that no prose holds. */
  readonly closers: readonly string[];
  /** Finds them, in a regular expression. */
  readonly closersPattern: string;
  /** Finds such characters in ASCII text. */
  readonly stopPattern: RegExp;

  constructor(
    entries: Iterable<MarkerEntry>,
    private readonly base?: MarkerSet,
  ) {
    if (base) this.copy(base);
    const closers = new Set(base?.closers);
    for (const { text, at, role } of entries) {
      if (role.kind === 'stray-close' && !role.directly) closers.add(text);
      for (const position of countsAt[at]) this.add(position, text, role);
      if (text !== '')
        this.trie.add(
          text,
          countsAt[at].reduce((kinds, place) => kinds | kind[place], 0),
        );
    }
    for (const place of positions) {
      for (const list of this.byPosition[place].values()) {
        list.sort((a, b) => b.text.length - a.text.length);
        for (const word of list) this.byText[place].set(word.text, word);
      }
    }
    this.closers = [...closers];
    this.closersPattern = wordPattern(this.closers);
    for (const char of ['\n', '`']) this.stopCodes[char.charCodeAt(0)] = 1;
    this.trie.markFirsts(this.stopCodes, kind.anywhere);
    base?.trie.markFirsts(this.stopCodes, kind.anywhere);
    const codes = [...this.stopCodes.subarray(0, 128).keys()].filter((code) => this.stopCodes[code] !== 0);
    this.stopPattern = new RegExp(`[${codes.map((code) => `\\x${code.toString(16).padStart(2, '0')}`).join('')}]`, 'g');
  }

  /** Whether a word begins here at this place: 'open' where the text ends before that is clear. */
  beginsAt(text: string, at: number, place: MarkerPosition): 'yes' | 'no' | 'open' {
    const own = this.trie.begins(text, at, kind[place]);
    if (own === 'yes' || !this.base) return own;
    const common = this.base.trie.begins(text, at, kind[place]);
    return common === 'no' ? own : common;
  }

  /** The words that stand here at this place, the longest first; where the text ends too soon, all that may. */
  at(text: string, at: number, place: MarkerPosition): readonly Marker[] {
    const all = this.startingWith(text.charAt(at), place);
    if (all.length === 0) return none;
    const lengths = new Set<number>();
    const clear =
      this.trie.measure(text, at, kind[place], lengths) &&
      (this.base?.trie.measure(text, at, kind[place], lengths) ?? true);
    if (!clear) return all;
    const found: Marker[] = [];
    for (const length of [...lengths].sort((a, b) => b - a)) {
      const word = this.byText[place].get(text.slice(at, at + length));
      if (word) found.push(word);
    }
    return found;
  }

  /** The words that may begin with `char` at this place, the longest first. */
  startingWith(char: string, place: MarkerPosition): readonly Marker[] {
    return this.byPosition[place].get(char) ?? none;
  }

  /** Those without a word of their own, whose dialects look for themselves. */
  withoutText(place: MarkerPosition): readonly Marker[] {
    return this.textless[place];
  }

  private copy(base: MarkerSet): void {
    for (const place of positions) {
      for (const [char, list] of base.byPosition[place]) {
        this.byPosition[place].set(
          char,
          list.map(({ text, roles }) => ({ text, roles: [...roles] })),
        );
      }
      this.textless[place] = [...base.textless[place]];
    }
  }

  private add(position: MarkerPosition, text: string, role: MarkerRole): void {
    let list = this.textless[position];
    if (text !== '') {
      const char = text[0] as string;
      list = this.byPosition[position].get(char) ?? [];
      this.byPosition[position].set(char, list);
    }
    const same = list.find((entry) => entry.text === text);
    if (same) same.roles.push(role);
    else list.push({ text, roles: [role] });
  }
}
