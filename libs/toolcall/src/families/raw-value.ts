import { escapeText } from '../escape.ts';
import type { Consumer } from '../scanner.ts';
import { closingTagAt } from './closing-tag.ts';
import { levelOf, type OtherCloses, tagAt } from './other-closes.ts';

/** How a raw value ends. */
export interface RawEnd {
  /** The value's own closing tag. It counts only if one of `follow` stands behind it, after white space, or the text ends there. */
  readonly close: string;
  readonly follow: readonly string[];
  /** How else the value may be closed. */
  readonly otherCloses?: OtherCloses;
  /** A closing tag counts also if elements of other names stand between it and one of `follow`. */
  readonly skipsElements?: boolean;
  /** Ends the value without its closing tag: tells how far to look ahead, see `ImplicitEnd`. */
  readonly impliedEnd?: ImpliedEnd;
  /** One newline at either side of the value is no part of it. */
  readonly stripsNewlines: boolean;
}

/**
 * Looks at `text` from a `<` (or other first character of a tag) on: true if the value ends here without its closing tag,
 * undefined if that is not known before more text comes.
 */
export type ImpliedEnd = (text: string, at: number, ended: boolean, afterNewline: boolean) => boolean | undefined;

/** Where values are written to. */
export interface RawOutput {
  /** Takes JSON-escaped text; absent while the value is to be kept whole. */
  emitEscaped(escaped: string): void;
  /** Decides, from the first characters, whether the value goes out as a string as it comes; undefined: not yet. */
  asString(beginning: string): boolean | undefined;
  /** True if it was not the model that ended the text. */
  isCut(): boolean;
}

const mostSpace = 4096;

/** Characters of the longest line that is kept to find out whether it is set in. */
const longestIndented = 512;

/** So much of a closing tag closes where the model then stopped by itself. */
export const leastOfTag = 4;

/** Reads a value that stands as it is between tags. Its end is the first closing tag behind which the structure goes on legally (D-11). */
export class RawValue implements Consumer {
  done = false;
  /** The value ended without its closing tag. */
  implied = false;
  /** A closing tag in it was text. */
  innerClose = false;
  /** The value, where it was kept whole. */
  value = '';
  /** Its tags were written in another way, or it was a line of its own that was set in like them. */
  tolerated = false;
  /** It went out as a string while it came. */
  emitted = false;
  private begun = false;
  private beganLine = false;
  /** A newline that is no part of the value if it ends behind it. */
  private newline = '';
  private last = '\n';
  private deciding = true;
  /** Tags in it that other closing tags would close. */
  private readonly opened = new Map<string, number>();
  /** The tag that was looked at last. */
  private tag: ReturnType<typeof tagAt>;
  private readonly isKnown = (name: string): boolean =>
    this.end.otherCloses !== undefined && levelOf(this.end.otherCloses, name) >= 0;

  constructor(
    private readonly end: RawEnd,
    private readonly to: RawOutput,
  ) {}

  consume(text: string, from: number, ended: boolean): number {
    let at = from;
    if (!this.begun) {
      if (at >= text.length) return at;
      this.begun = true;
      if (this.end.stripsNewlines) {
        if (text[at] === '\r' && text.length === at + 1 && !ended) {
          this.begun = false;
          return at;
        }
        const from = at;
        if (text.startsWith('\r\n', at)) at += 2;
        else if (text[at] === '\n') at++;
        this.beganLine = at > from;
      }
    }
    const first = this.end.close[0] as string;
    let plain = at;
    for (;;) {
      const tag = text.indexOf(first, at);
      if (tag < 0) {
        this.take(plain === 0 ? text : text.slice(plain));
        return text.length;
      }
      const closed = this.endsAt(text, tag, ended, plain);
      if (closed === undefined) {
        this.take(text.slice(plain, tag));
        return tag;
      }
      if (closed >= 0) {
        this.take(text.slice(plain, tag));
        this.finish();
        return closed;
      }
      this.passTag();
      at = tag + 1;
      if (at - plain > 8192) {
        this.take(text.slice(plain, at));
        plain = at;
      }
    }
  }

  /** The index behind the value's end if it ends at `at`; -1 if it does not; undefined if more text must come first. */
  private endsAt(text: string, at: number, ended: boolean, plain: number): number | undefined {
    const { close, impliedEnd: implicit } = this.end;
    const length = closingTagAt(text, at, close, ended);
    if (length === undefined) return undefined;
    if (length > 0) {
      const legal = followed(text, at + length, this.end, ended);
      if (legal === undefined) return undefined;
      if (legal) {
        if (length > close.length) this.tolerated = true;
        return at + length;
      }
    }
    const behindOther = this.otherEnd(text, at, ended);
    if (behindOther === at) this.implied = true;
    else if (behindOther !== undefined && behindOther > at) this.tolerated = true;
    if (behindOther !== -1) return behindOther;
    if (length > 0) {
      this.innerClose = true;
      return -1;
    }
    if (text.length - at < close.length && close.startsWith(text.slice(at))) {
      if (!ended) return undefined;
      if (text.length - at >= leastOfTag && !this.to.isCut()) {
        this.implied = true;
        return text.length;
      }
    }
    const before = at > plain ? text[at - 1] : this.last;
    const implied = implicit?.(text, at, ended, before === '\n');
    if (implied === undefined) return implicit ? undefined : -1;
    if (!implied) return -1;
    this.implied = true;
    return at;
  }

  /** The index behind what else closes the value at `at`, or `at` where that closes the call; -1 if nothing does; undefined if more text must come first. */
  private otherEnd(text: string, at: number, ended: boolean): number | undefined {
    const { otherCloses, close } = this.end;
    if (!otherCloses) return -1;
    const { follow, own, prefixed } = otherCloses;
    let to = at;
    let level = -1;
    let closed = at;
    let ownName = false;
    for (;;) {
      const next = tagAt(text, to, ended, this.isKnown);
      if (to === at) this.tag = next;
      if (next === undefined) return undefined;
      if (next === 'none' || this.opened.get(next.name)) return -1;
      const outwards = levelOf(otherCloses, next.name);
      const closes = next.closes || (level < 0 && next.bare && next.name === own);
      if (!closes || outwards <= level || (level < 0 && outwards > 0 && !prefixed)) return -1;
      to += next.length;
      if (level < 0) ownName = next.name === own;
      if (outwards === 0) closed = to;
      level = outwards;
      const mayEnd = ownName && (prefixed || (level > 0 && text.startsWith(close, at)));
      const ends = followedBy(text, to, follow, ended, mayEnd && !this.to.isCut());
      if (ends !== false) return ends && closed;
      while (to < text.length && to - at < mostSpace && /\s/.test(text[to] as string)) to++;
      if (to === text.length) return ended ? -1 : undefined;
    }
  }

  /** The tag that was looked at is part of the value. */
  private passTag(): void {
    const { tag } = this;
    if (!tag || tag === 'none') return;
    const open = this.opened.get(tag.name) ?? 0;
    this.opened.set(tag.name, tag.closes ? Math.max(0, open - 1) : open + 1);
  }

  private take(piece: string): void {
    if (piece === '') return;
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
    if (this.deciding) this.decide();
  }

  private decide(): void {
    if (this.mayBeIndented()) return;
    const asString = this.to.asString(this.value);
    if (asString === undefined) return;
    this.deciding = false;
    if (!asString) return;
    this.emitted = true;
    const value = this.value;
    this.value = '';
    this.to.emitEscaped(escapeText(value));
  }

  /** `⏎    VALUE⏎    </parameter>`: one line, set in like its tags. What is then no part of it is known at the end only. */
  private mayBeIndented(): boolean {
    return this.beganLine && this.value.length <= longestIndented && /^[ \t]+[^\n]*(?:\n[ \t]*)?$/.test(this.value);
  }

  private finish(): void {
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
  }
}

/** True if the structure goes on behind a closing tag, which may stand there twice. */
function followed(
  text: string,
  from: number,
  { close, follow, skipsElements }: RawEnd,
  ended: boolean,
): boolean | undefined {
  let at = from;
  for (;;) {
    const start = at;
    while (at < text.length && at - start < mostSpace && /\s/.test(text[at] as string)) at++;
    if (at >= text.length) return ended ? true : undefined;
    const again = closingTagAt(text, at, close, ended);
    if (again === undefined) return undefined;
    if (again > 0) {
      at += again;
      continue;
    }
    const rest = text.slice(at, at + 160);
    const lengths = follow.map((marker) => closingTagAt(rest, 0, marker, ended || rest.length === 160));
    if (lengths.some((length) => length !== undefined && length > 0)) return true;
    if (lengths.includes(undefined)) return undefined;
    const behind = skipsElements ? behindElement(text, at, ended) : -1;
    if (behind === undefined) return undefined;
    if (behind >= 0 && behind - from < mostSpace) {
      at = behind;
      continue;
    }
    const mayFollow =
      text.length - at < 160 &&
      [close, ...follow].some((marker) => marker.length > rest.length && marker.startsWith(rest));
    if (ended) return mayFollow && rest.length >= leastOfTag;
    return mayFollow ? undefined : false;
  }
}

/** Where `<name>…</name>` ends that begins here; -1 if none does; undefined if more text must come first. */
function behindElement(text: string, at: number, ended: boolean): number | undefined {
  const name = /^<([A-Za-z_][\w.-]{0,63})>/.exec(text.slice(at, at + 66))?.[1];
  if (name === undefined) return !ended && /^<[\w.-]{0,64}$/.test(text.slice(at, at + 66)) ? undefined : -1;
  const close = `</${name}>`;
  const end = text.slice(at, at + mostSpace).indexOf(close);
  if (end >= 0) return at + end + close.length;
  return ended || text.length - at >= mostSpace ? -1 : undefined;
}

/** True if `marker` stands at `at`; undefined if it still could. */
export function beginsAt(text: string, at: number, marker: string, ended: boolean): boolean | undefined {
  if (text.startsWith(marker, at)) return true;
  return !ended && text.length - at < marker.length && marker.startsWith(text.slice(at)) ? undefined : false;
}

/** True if one of `markers` stands behind white space; `atEnd` if the text ends there; undefined if one still could. */
export function followedBy(
  text: string,
  from: number,
  markers: readonly string[],
  ended: boolean,
  atEnd: boolean,
): boolean | undefined {
  let at = from;
  while (at < text.length && at - from < mostSpace && /\s/.test(text[at] as string)) at++;
  if (at >= text.length) return ended ? atEnd : undefined;
  let maybe = false;
  for (const marker of markers) {
    const length = closingTagAt(text, at, marker, ended);
    if (length === undefined) maybe = true;
    else if (length > 0) return true;
  }
  return maybe ? undefined : false;
}
