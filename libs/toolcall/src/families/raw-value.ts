import { escapeText } from '../escape.ts';
import { longestWhole } from '../parse-whole.ts';
import type { Consumer } from '../scanner.ts';
import { behindSpace } from '../space.ts';
import { closingTagAt } from './closing-tag.ts';
import { levelOf, type OtherCloses, tagAt } from './other-closes.ts';
import { turnEndsAt } from './turn-tokens.ts';

/** How a raw value ends. */
export interface RawEnd {
  /**
   * The value's own closing tag. It counts only if one of `follow` comes after it and white space, or the text ends
   * there.
   */
  readonly close: string;
  readonly follow: readonly string[];
  /** Other closing tags of the value. */
  readonly otherCloses?: OtherCloses;
  /** A closing tag also counts if elements of other names separate it from one of `follow`. */
  readonly skipsElements?: boolean;
  /** Decides whether the value ends without its closing tag, see `ImpliedEnd`. */
  readonly impliedEnd?: ImpliedEnd;
  /** One newline at either end of the value is not part of it. */
  readonly stripsNewlines: boolean;
}

/**
 * Examines `text` from a `<` (or other first character of a tag) on: true if the value ends here without its closing
 * tag, undefined if more text is needed.
 */
export type ImpliedEnd = (text: string, at: number, ended: boolean, afterNewline: boolean) => boolean | undefined;

/** Receives the values. */
export interface RawOutput {
  /** Receives JSON-escaped text; not called while the value is to be kept whole. */
  emitEscaped(escaped: string): void;
  /**
   * Decides, from the first characters, whether the value is streamed as a string; undefined: not yet. A value that is
   * too long to be converted is streamed in any case.
   */
  asString(beginning: string): boolean | undefined;
  /** True if it was not the model that ended the text. */
  isCut(): boolean;
}

const mostSpace = 4096;

/** Most characters without a `>` after which an undecided tag is examined again. */
const mostUnread = 32;

/** The least share of the undecided text that is to be new for that: a 32nd. */
const leastShare = 32;

/** Longest line that is kept, in characters, to find out whether it is indented. */
const longestIndented = 512;

/** Least length of a partial closing tag that counts if the model then stopped by itself. */
export const leastOfTag = 4;

/** The end of a value: its last character precedes the tag that was examined. */
interface ValueEnd {
  /** The index after what closes it. */
  readonly behind: number;
  /** Its own closing tag, a variant or replacement of that tag, or none. */
  readonly by: 'tag' | 'other-tag' | 'nothing';
}

/** The meaning of a tag in a value: its end, a part of it, or unknown until more text arrives. */
type TagMeaning = ValueEnd | 'text' | 'undecided';

/**
 * Parses a raw value between tags. Its end is the first closing tag after which the structure continues validly (D-11).
 *
 *     <parameter=text>a </parameter> b</parameter></function>
 *                       ^ text        ^ end, as `</function>` follows
 */
export class RawValue implements Consumer {
  done = false;
  /** The value ended without its closing tag. */
  implied = false;
  /** A closing tag inside it was text. */
  innerClose = false;
  /** The value, where it was kept whole. */
  value = '';
  /** Its tags were written in another form, or it was one line that was indented like them. */
  tolerated = false;
  /** It was streamed as a string. */
  emitted = false;
  private begun = false;
  private beganLine = false;
  /** A newline that is not part of the value if the value ends after it. */
  private newline = '';
  private last = '\n';
  /** The current last line holds only white space so far. */
  private lastLineBlank = true;
  private deciding = true;
  /** Open tags inside it, by name, that other closing tags would close. */
  private readonly opened = new Map<string, number>();
  /** The tag that was examined last. */
  private tag: ReturnType<typeof tagAt>;
  private readonly isKnown = (name: string): boolean =>
    this.end.otherCloses !== undefined && levelOf(this.end.otherCloses, name) >= 0;
  /** What arrived since a tag was found to be undecided; undefined: none is. */
  private unread: Unread | undefined;
  /** It is undecided only because turn-end tokens may begin there. */
  private atTurnEnd = false;
  /** Characters of the value and the text after it that were consumed. */
  private taken = 0;
  /** Start of the current text, in the same count. */
  private base = 0;
  /** The look-ahead after its own closing tag at `from`: up to `to`, only more of them and skipped elements follow. */
  private chain: { readonly from: number; to: number; readonly closers: number[] } = { from: -1, to: 0, closers: [] };
  /** Offsets of its own closing tags that are known to be text. */
  private readonly innerCloses = new Set<number>();

  /** The range in which an element's closing tag was searched without success. */
  private missing = { close: '', from: 0, to: 0 };

  constructor(
    private readonly end: RawEnd,
    private readonly to: RawOutput,
  ) {}

  consume(text: string, from: number, ended: boolean): number {
    this.base = this.taken - from;
    const to = this.read(text, from, ended);
    this.taken = this.base + to;
    return to;
  }

  waits(piece: string): boolean {
    return !this.atTurnEnd && this.unread !== undefined && !this.unread.add(piece);
  }

  private read(text: string, from: number, ended: boolean): number {
    if (this.atTurnEnd && !ended && turnEndsAt(text, from, false, false) === undefined) return from;
    this.atTurnEnd = false;
    this.unread = undefined;
    let at = this.begin(text, from, ended);
    if (at === undefined) return from;
    const first = this.end.close[0] as string;
    const cut = ended ? text.length : unfinishedTag(text);
    let plain = at;
    for (;;) {
      const tag = text.indexOf(first, at);
      if (tag < 0) {
        this.take(plain === 0 ? text : text.slice(plain));
        return text.length;
      }
      const meaning =
        tag === cut ? 'undecided' : beginsNoTag(text, tag) ? 'text' : this.meaningAt(text, tag, ended, plain);
      if (meaning !== 'text') {
        this.take(text.slice(plain, tag));
        if (meaning !== 'undecided') return this.finish(meaning);
        this.unread = new Unread(text, tag);
        return tag;
      }
      this.passTag();
      this.tag = undefined;
      at = tag + 1;
      if (at - plain > 8192) {
        this.take(text.slice(plain, at));
        plain = at;
      }
    }
  }

  /** Skips the newline before the value; undefined if more text decides whether there is one. */
  private begin(text: string, from: number, ended: boolean): number | undefined {
    if (this.begun) return from;
    if (from >= text.length) return undefined;
    if (this.end.stripsNewlines && text[from] === '\r' && text.length === from + 1 && !ended) return undefined;
    this.begun = true;
    if (!this.end.stripsNewlines) return from;
    const length = text.startsWith('\r\n', from) ? 2 : text[from] === '\n' ? 1 : 0;
    this.beganLine = length > 0;
    return from + length;
  }

  /** The meaning of the tag at `at`; the text before it, from `plain` on, is part of the value. */
  private meaningAt(text: string, at: number, ended: boolean, plain: number): TagMeaning {
    const { close, impliedEnd } = this.end;
    const length = closingTagAt(text, at, close, ended);
    if (length === undefined) return 'undecided';
    if (length > 0) {
      const legal = this.isFollowed(text, at, length, ended);
      if (legal === undefined) return 'undecided';
      if (legal) return { behind: at + length, by: length > close.length ? 'other-tag' : 'tag' };
    }
    const other = this.otherCloseAt(text, at, ended);
    if (other !== 'text') return other;
    if (length > 0) {
      this.innerClose = true;
      return 'text';
    }
    if (text.length - at < close.length && close.startsWith(text.slice(at))) {
      if (!ended) return 'undecided';
      if (!this.to.isCut() && this.isHalfOfClose(text, at, plain)) return { behind: text.length, by: 'nothing' };
    }
    // `</s>` may also be HTML.
    const turnEnds = !text.startsWith('</s>', at) && turnEndsAt(text, at, ended, false);
    this.atTurnEnd = turnEnds === undefined;
    if (turnEnds === undefined) return 'undecided';
    if (turnEnds && !this.to.isCut()) return { behind: at, by: 'nothing' };
    if (!impliedEnd) return 'text';
    const before = at > plain ? text[at - 1] : this.last;
    const implied = impliedEnd(text, at, ended, before === '\n');
    if (implied === undefined) return 'undecided';
    return implied ? { behind: at, by: 'nothing' } : 'text';
  }

  /**
   * True if the text ends with a partial closing tag of the value, not with the last characters of a file's content:
   * half of it at least is there, it is on its own line if the value is, and no open tag in the value matches it.
   */
  private isHalfOfClose(text: string, at: number, plain: number): boolean {
    const half = text.slice(at);
    if (half.length < leastOfTag || 2 * half.length < this.end.close.length) return false;
    if (this.beganLine && !this.isLineBlank(text.slice(plain, at))) return false;
    const name = half.slice(2).toLowerCase();
    for (const [open, count] of this.opened) if (count > 0 && open.startsWith(name)) return false;
    return true;
  }

  /** True if the value's last line, which ends with this piece, holds only white space. */
  private isLineBlank(piece: string): boolean {
    const newline = piece.lastIndexOf('\n');
    return (newline >= 0 || this.lastLineBlank) && piece.slice(newline + 1).trim() === '';
  }

  /** True if the structure continues after the value's own closing tag at `at`; undefined if more text is needed. */
  private isFollowed(text: string, at: number, length: number, ended: boolean): boolean | undefined {
    const from = this.base + at;
    if (this.innerCloses.delete(from)) return false;
    if (this.chain.from !== from) this.chain = { from, to: from + length, closers: [] };
    const legal = this.lookBehind(text, at + longestChain, ended);
    // They all share the same continuation.
    if (legal === false) for (const closer of this.chain.closers) this.innerCloses.add(closer);
    return legal;
  }

  /** The tag may be repeated, and irrelevant elements may separate it from what follows. */
  private lookBehind(text: string, limit: number, ended: boolean): boolean | undefined {
    const { chain, base, end } = this;
    for (;;) {
      const from = chain.to - base;
      if (from > limit) return false;
      const at = behindSpace(text, from, from + mostSpace);
      if (at >= text.length) return ended ? true : undefined;
      const again = closingTagAt(text, at, end.close, ended);
      if (again === undefined) return undefined;
      if (again > 0) {
        chain.closers.push(base + at);
        chain.to = base + at + again;
        continue;
      }
      const legal = isOneOf(text, at, end.follow, ended);
      if (legal !== false) return legal;
      const turnEnds = turnEndsAt(text, at, ended, true);
      if (turnEnds !== false) return turnEnds;
      const behind = end.skipsElements ? this.behindElement(text, at, ended) : -1;
      if (behind === undefined) return undefined;
      if (behind < 0 || behind - at >= mostSpace) return ended && isHalfOf(text, at, [end.close, ...end.follow]);
      chain.to = base + behind;
    }
  }

  /** The end of an element `<name>…</name>` that begins here; -1 if none does; undefined if more text is needed. */
  private behindElement(text: string, at: number, ended: boolean): number | undefined {
    const ahead = text.slice(at, at + longestName + 2);
    const name = /^<([A-Za-z_][\w.-]{0,63})>/.exec(ahead)?.[1];
    if (name === undefined) return !ended && /^<[\w.-]{0,64}$/.test(ahead) ? undefined : -1;
    const close = `</${name}>`;
    const to = at + mostSpace;
    const { missing, base } = this;
    const isSame = missing.close === close && base + at >= missing.from;
    const from = isSame ? Math.max(at, missing.to - base - close.length + 1) : at;
    const end = text.slice(from, to).indexOf(close);
    if (end >= 0) return from + end + close.length;
    this.missing = { close, from: isSame ? missing.from : base + at, to: base + Math.min(text.length, to) };
    return ended || text.length >= to ? -1 : undefined;
  }

  /** The meaning of the tag at `at` if it is not the value's own but closes the value or the call around it. */
  private otherCloseAt(text: string, at: number, ended: boolean): TagMeaning {
    const { otherCloses, close } = this.end;
    if (!otherCloses) return 'text';
    const { follow, own, prefixed } = otherCloses;
    let to = at;
    let level = -1;
    let behindValue: number | undefined;
    let ownName = false;
    for (;;) {
      const next = tagAt(text, to, ended, this.isKnown);
      if (to === at) this.tag = next;
      if (next === undefined) return 'undecided';
      if (next === 'none' || this.opened.get(next.name)) return 'text';
      const outwards = levelOf(otherCloses, next.name);
      const closes = next.closes || (level < 0 && next.bare && next.name === own);
      if (!closes || outwards <= level || (level < 0 && outwards > 0 && !prefixed)) return 'text';
      to += next.length;
      if (level < 0) ownName = next.name === own;
      if (outwards === 0) behindValue = to;
      level = outwards;
      const mayEnd = ownName && (prefixed || (level > 0 && text.startsWith(close, at)));
      const ends = followedBy(text, to, follow, ended, mayEnd && !this.to.isCut());
      if (ends === undefined) return 'undecided';
      if (ends)
        return behindValue === undefined ? { behind: at, by: 'nothing' } : { behind: behindValue, by: 'other-tag' };
      to = behindSpace(text, to, at + mostSpace);
      if (to === text.length) return ended ? 'text' : 'undecided';
    }
  }

  /** The tag that was examined is part of the value. */
  private passTag(): void {
    const { tag } = this;
    if (!tag || tag === 'none') return;
    const open = this.opened.get(tag.name) ?? 0;
    this.opened.set(tag.name, tag.closes ? Math.max(0, open - 1) : open + 1);
  }

  private take(piece: string): void {
    if (piece === '') return;
    this.lastLineBlank = this.isLineBlank(piece);
    this.last = piece[piece.length - 1] as string;
    let text = this.newline === '' ? piece : this.newline + piece;
    this.newline = '';
    if (this.end.stripsNewlines && (this.last === '\n' || this.last === '\r')) {
      const held = /\r?\n$|\r$/.exec(text.slice(-2))?.[0] ?? '';
      if (held !== '') {
        this.newline = held;
        text = text.slice(0, -held.length);
      }
    }
    this.put(text);
  }

  private put(text: string): void {
    if (text === '') return;
    if (this.emitted) {
      this.to.emitEscaped(escapeText(text));
      return;
    }
    this.value += text;
    if (this.value.length > longestWhole) this.streamAsString();
    else if (this.deciding) this.decide();
  }

  private decide(): void {
    if (this.mayBeIndented()) return;
    const asString = this.to.asString(this.value);
    if (asString === undefined) return;
    this.deciding = false;
    if (asString) this.streamAsString();
  }

  private streamAsString(): void {
    this.emitted = true;
    const value = this.value;
    this.value = '';
    this.to.emitEscaped(escapeText(value));
  }

  /**
   * `⏎    VALUE⏎    </parameter>`: one line, indented like its tags. Only the end shows whether its indentation is not
   * part of it.
   */
  private mayBeIndented(): boolean {
    return this.beganLine && this.value.length <= longestIndented && /^[ \t]+[^\n]*(?:\n[ \t]*)?$/.test(this.value);
  }

  /** Ends the value; returns the index after what closes it. */
  private finish({ behind, by }: ValueEnd): number {
    if (by === 'other-tag') this.tolerated = true;
    if (by === 'nothing') this.implied = true;
    const line =
      this.beganLine && !this.emitted && this.value.length <= longestIndented
        ? /^[ \t]+(\S[^\n]*)\n[ \t]+$/.exec(this.value)?.[1]
        : undefined;
    if (line !== undefined) {
      this.value = line.trimEnd();
      this.tolerated = true;
    }
    if (this.newline === '\r') this.put('\r');
    this.newline = '';
    this.done = true;
    return behind;
  }
}

/**
 * The text that arrived since a tag was found to be undecided, as far as it matters when to examine the tag again: not
 * for each piece, as a value may consist of such tags. At the end of the text it is examined in any case.
 */
class Unread {
  private length = 0;
  private isBlank = true;
  private hasTagEnd = false;
  private isInTag: boolean;
  /** Characters from the tag on when it was examined. */
  private readonly examined: number;

  constructor(text: string, tag: number) {
    this.examined = text.length - tag;
    this.isInTag = unfinishedTag(text) < text.length;
  }

  /** Adds a piece; true if the tag is to be examined again. */
  add(piece: string): boolean {
    this.length += piece.length;
    this.isBlank &&= piece.trim() === '';
    this.hasTagEnd ||= piece.includes('>');
    const tag = unfinishedTag(piece);
    if (tag >= 0) this.isInTag = tag < piece.length;
    if (this.length > mostSpace) return true;
    const decides = this.hasTagEnd || (!this.isBlank && this.length > mostUnread);
    return decides && !this.isInTag && this.length * leastShare >= this.examined;
  }
}

/**
 * The start of a tag that the text ends in, before or within its name; the text's length if there is none; -1 if all of
 * it may be within a name.
 */
function unfinishedTag(text: string): number {
  const least = Math.max(0, text.length - longestName);
  for (let at = text.length - 1; at >= least; at--) {
    const code = text.charCodeAt(at);
    if (code === 60) return at;
    // `<｜DSML｜ invoke`: a space may follow the prefix.
    if (!isNameCode(code) && !isBar(code) && !(code === 32 && isBar(text.charCodeAt(at - 1)))) return text.length;
  }
  return least > 0 ? text.length : -1;
}

/** `|` and `｜`, which some tags' prefixes are written between. */
const isBar = (code: number): boolean => code === 124 || code === 65372;

const longestName = 64;

/** `<` before a character that begins no tag name. */
function beginsNoTag(text: string, at: number): boolean {
  if (at + 1 >= text.length || text.charCodeAt(at) !== 60) return false;
  const code = text.charCodeAt(at + 1);
  return code < 127 && !isNameCode(code) && code !== 92 && code !== 124 && code !== 32 && code !== 9;
}

/** Letters, digits, `_`, a `/` before the name, and `:`, `.` and `-` in it. */
const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 45 && code <= 58) || code === 95;

/** Most characters of closing tags, elements and white space that are examined after a closing tag. */
const longestChain = mostSpace;

/** True if one of `markers` is at `at`; undefined if one still may be. */
function isOneOf(text: string, at: number, markers: readonly string[], ended: boolean): boolean | undefined {
  let maybe = false;
  for (const marker of markers) {
    const length = closingTagAt(text, at, marker, ended);
    if (length === undefined) maybe = true;
    else if (length > 0) return true;
  }
  return maybe ? undefined : false;
}

/** True if the text ends in the middle of one of `markers`, of which enough is there. */
function isHalfOf(text: string, at: number, markers: readonly string[]): boolean {
  const length = text.length - at;
  return length >= leastOfTag && markers.some((marker) => marker.length > length && marker.startsWith(text.slice(at)));
}

/** True if `marker` is at `at`; undefined if it still may be. */
export function beginsAt(text: string, at: number, marker: string, ended: boolean): boolean | undefined {
  if (text.startsWith(marker, at)) return true;
  return !ended && text.length - at < marker.length && marker.startsWith(text.slice(at)) ? undefined : false;
}

/** True if one of `markers` follows white space; `atEnd` if the text ends there; undefined if one still may follow. */
export function followedBy(
  text: string,
  from: number,
  markers: readonly string[],
  ended: boolean,
  atEnd: boolean,
): boolean | undefined {
  const at = behindSpace(text, from, from + mostSpace);
  if (at >= text.length) return ended ? atEnd : undefined;
  return isOneOf(text, at, markers, ended);
}
