import type { Dialect, MarkerPosition, OpeningMarker, ReasoningBlock, ResultMarker } from '../dialect.ts';
import { isUnmistakable } from '../families/unmistakable.ts';
import { wordPattern } from '../find.ts';
import { MarkerTrie } from './marker-trie.ts';

/** What a marker begins or represents. */
export type MarkerRole =
  | {
      readonly kind: 'call';
      readonly dialect: Dialect;
      readonly openingMarker: OpeningMarker;
      readonly own: boolean;
      readonly foreign: boolean;
      /** It has no explicit marker and is not one of the model's own forms: it could be prose. */
      readonly unmarked: boolean;
    }
  | { readonly kind: 'escaped-call' }
  | { readonly kind: 'reasoning'; readonly block: ReasoningBlock }
  | { readonly kind: 'reasoning-close' }
  /** `besideCall`: removed only if nothing but white space separates it from a call. */
  | { readonly kind: 'frame'; readonly besideCall: boolean }
  /** `directly`: only if nothing but white space separates it from the call. */
  | { readonly kind: 'stray-close'; readonly directly?: true }
  | { readonly kind: 'turn-end' }
  /** The tag of an element that shows code in a document. */
  | { readonly kind: 'example'; readonly element: string; readonly opens: boolean }
  | { readonly kind: 'result'; readonly marker: ResultMarker };

/** A marker's text, its position, and its role there. */
export interface MarkerEntry {
  readonly text: string;
  readonly at: MarkerPosition;
  readonly role: MarkerRole;
}

/** A marker with all its possible roles, the likeliest first. */
export interface Marker {
  readonly text: string;
  readonly roles: MarkerRole[];
}

const positions: readonly MarkerPosition[] = ['anywhere', 'line', 'answer', 'fence'];

/** The actual positions of a marker, by its declared one: the start of the answer is also the start of a line. */
const countsAt: Record<MarkerPosition, readonly MarkerPosition[]> = {
  anywhere: positions,
  line: ['line', 'answer', 'fence'],
  answer: ['answer'],
  fence: ['fence'],
};
const none: readonly Marker[] = [];
const kind: Record<MarkerPosition, number> = { anywhere: 1, line: 2, answer: 4, fence: 8 };
/** Shifts of the bits of markers that do more than begin a call, and of those that do begin one. */
const otherThanCall = 4;
const call = 8;

/** True for a role that must be tried, and may turn out to begin no call. */
export const beginsCall = ({ kind }: MarkerRole): boolean => kind === 'call' || kind === 'escaped-call';

/** True for a marker that, in one of its roles, begins nothing but calls. */
export const isOpener = ({ roles }: Marker): boolean =>
  roles.some((role) => role.kind === 'call' && isUnmistakable(role.openingMarker));

/** All markers that the parser looks for, by position. */
export class MarkerSet {
  private readonly byPosition: Record<MarkerPosition, Map<string, Marker[]>> = {
    anywhere: new Map(),
    line: new Map(),
    answer: new Map(),
    fence: new Map(),
  };
  /** The markers with which a marker begins, itself among them, the longest first. */
  private readonly prefixes: Record<MarkerPosition, Map<string, readonly Marker[]>> = {
    anywhere: new Map(),
    line: new Map(),
    answer: new Map(),
    fence: new Map(),
  };
  private readonly textless: Record<MarkerPosition, Marker[]> = { anywhere: [], line: [], answer: [], fence: [] };
  private readonly trie = new MarkerTrie();
  /**
   * By a character's lower eight bits: 0 if nothing can begin with it in the middle of a line: no marker, code or line
   * break.
   */
  readonly stopCodes = new Uint8Array(256);
  /** Closing markers that do not occur in prose. */
  readonly closers: readonly string[];
  /** Source of a regular expression that finds them. */
  readonly closersPattern: string;
  /** Finds the characters of `stopCodes` in ASCII text. */
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
      if (text === '') continue;
      const kinds = countsAt[at].reduce((all, position) => all | kind[position], 0);
      this.trie.add(text, kinds | (kinds << (beginsCall(role) ? call : otherThanCall)));
    }
    for (const position of positions) {
      for (const list of this.byPosition[position].values()) list.sort((a, b) => b.text.length - a.text.length);
    }
    this.closers = [...closers];
    this.closersPattern = wordPattern(this.closers);
    for (const char of ['\n', '`']) this.stopCodes[char.charCodeAt(0)] = 1;
    this.trie.markFirsts(this.stopCodes, kind.anywhere);
    base?.trie.markFirsts(this.stopCodes, kind.anywhere);
    const codes = [...this.stopCodes.subarray(0, 128).keys()].filter((code) => this.stopCodes[code] !== 0);
    this.stopPattern = new RegExp(`[${codes.map((code) => `\\x${code.toString(16).padStart(2, '0')}`).join('')}]`, 'g');
  }

  /** Whether a marker begins here at this position: 'open' if the text ends too early to tell. */
  beginsAt(text: string, at: number, position: MarkerPosition): 'yes' | 'no' | 'open' {
    return this.begins(text, at, kind[position]);
  }

  /** The same for markers that do more than begin a call. */
  othersBeginAt(text: string, at: number, position: MarkerPosition): 'yes' | 'no' | 'open' {
    return this.begins(text, at, kind[position] << otherThanCall);
  }

  /** The same for markers that may begin a call. */
  callBeginsAt(text: string, at: number, position: MarkerPosition): 'yes' | 'no' | 'open' {
    return this.begins(text, at, kind[position] << call);
  }

  private begins(text: string, at: number, kinds: number): 'yes' | 'no' | 'open' {
    const own = this.trie.begins(text, at, kinds);
    if (own === 'yes' || !this.base) return own;
    const common = this.base.trie.begins(text, at, kinds);
    return common === 'no' ? own : common;
  }

  /**
   * The markers here at this position, the longest first; undefined if more text decides, unless the text has `ended`.
   */
  at(text: string, at: number, position: MarkerPosition, ended: boolean): readonly Marker[] | undefined {
    const own = this.trie.longest(text, at, kind[position], ended);
    const common = this.base?.trie.longest(text, at, kind[position], ended) ?? 0;
    if (own < 0 || common < 0) return undefined;
    const length = Math.max(own, common);
    if (length === 0) return none;
    const longest = text.slice(at, at + length);
    return this.prefixes[position].get(longest) ?? this.findPrefixes(longest, position);
  }

  private findPrefixes(longest: string, position: MarkerPosition): readonly Marker[] {
    const list = this.byPosition[position].get(longest.charAt(0)) ?? none;
    const found = list.filter(({ text }) => longest.startsWith(text));
    // Not the slice: it would retain the whole text.
    if (found[0]) this.prefixes[position].set(found[0].text, found);
    return found;
  }

  /** The markers without text, whose dialects decide by `matches`. */
  withoutText(position: MarkerPosition): readonly Marker[] {
    return this.textless[position];
  }

  private copy(base: MarkerSet): void {
    for (const position of positions) {
      for (const [char, list] of base.byPosition[position]) {
        this.byPosition[position].set(
          char,
          list.map(({ text, roles }) => ({ text, roles: [...roles] })),
        );
      }
      this.textless[position] = [...base.textless[position]];
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
