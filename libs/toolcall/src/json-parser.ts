import { escapeChar, escapeText } from './escape.ts';
import { parseWhole } from './parse-whole.ts';
import type { Rule } from './rules.ts';
import { type Consumer, isBlankCode, type Scanner } from './scanner.ts';
import { windowsPathAt } from './windows-path.ts';

/** Options for parsing a JSON-like value. */
export interface JsonParserOptions {
  /** Receives strict JSON in pieces; their concatenation is one value, or a prefix of one. */
  readonly out: (json: string) => void;
  readonly repair: (rule: Rule, from: number, to: number) => void;
  /** Markers that may follow the value: if one comes after a complete member, missing closing brackets are added. */
  readonly stopsAt?: readonly string[];
  /** Strings, literals and tuples follow Python's syntax. */
  readonly python?: boolean;
  /**
   * A delimiter of raw strings, e.g. Gemma's `<|"|>`; it is also accepted with its own quote escaped, or inside JSON's
   * quotes.
   */
  readonly quote?: string;
  /** Unquoted keys are normal in this dialect and are not recorded as repairs. */
  readonly bareKeys?: boolean;
  /** An unquoted word as a member's value is a string that lost its quotes. */
  readonly bareStrings?: boolean;
}

const inObject = 1;
const inArray = 2;
const inTuple = 3;

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const looseNumber = /^[+-]?(?:0|[1-9][\d_]*)?(?:\.\d*)?(?:[eE][+-]?\d+)?$/;
const bareChar = /[^\s,:{}[\]()"'`“”‘’<>;\u200b-\u200d\u2060\ufeff]/;
const asciiBare = Uint8Array.from({ length: 128 }, (_, code) => (bareChar.test(String.fromCharCode(code)) ? 1 : 0));
/** True for a character of an unquoted word or number. */
const isBare = (code: number): boolean =>
  code < 128 ? asciiBare[code] === 1 : bareChar.test(String.fromCharCode(code));
/** A quote, white space, and the character that ends a member, if it comes next. */
const behindQuote = /^.[ \t\r\n]{0,32}([,}\])]?)/;
const identifier = /^[\p{L}\p{N}_$][\p{L}\p{N}_$.-]*$/u;
const literals = new Set(['true', 'false', 'null']);
const pythonLiterals: Record<string, string> = { True: 'true', False: 'false', None: 'null' };
const closingQuotes: Record<string, string> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”“"',
  '”': '”"',
  '„': '”“"',
  '‘': "’‘'",
  '’': "’'",
};
const pythonEscapes: Record<string, string> = { a: '\\u0007', v: '\\u000b', "'": "'", '"': '\\"', '\n': '' };

/** The code of `"`, `/`, `\\`, `b`, `f`, `n`, `r` or `t`, which may follow a backslash. */
const isSimpleEscape = (code: number): boolean =>
  code === 110 ||
  code === 34 ||
  code === 92 ||
  code === 116 ||
  code === 47 ||
  code === 114 ||
  code === 98 ||
  code === 102;

/** A pair of delimiters around a raw string. */
interface QuoteWord {
  readonly open: string;
  readonly close: string;
}

const wordsByQuote = new Map<string, readonly QuoteWord[]>();

/** The variants in which models write a dialect's own quote: `<|"|>`, `<|\"|>`, `<|'|>`, `"<|\"|>`. */
function quoteWords(quote: string | undefined): readonly QuoteWord[] {
  if (quote === undefined) return [];
  const cached = wordsByQuote.get(quote);
  if (cached) return cached;
  const escaped = escapedQuote(quote);
  const alone = new Set([quote, escaped, quote.replace('"', "'")]);
  const inQuotes = quote === escaped ? [] : [quote, escaped];
  const words = [
    ...[...alone].map((word) => ({ open: word, close: word })),
    ...inQuotes.map((word) => ({ open: `"${word}`, close: `${word}"` })),
  ];
  wordsByQuote.set(quote, words);
  return words;
}

/** `<|\"|>` */
export const escapedQuote = (quote: string): string => quote.replace('"', '\\"');

type State = 'value' | 'key' | 'colon' | 'after' | 'string' | 'word-string' | 'bare' | 'line-comment' | 'block-comment';

/**
 * Parses one JSON-like value and emits strict JSON. Valid JSON is passed through byte for byte (D-5). Deviations are
 * repaired if the meaning is certain; else the value is `broken`. Nothing is ever closed inside a string or after `:`
 * or `,` (D-2), as the value is incomplete there.
 *
 *     {"a": 1, b: 'x',}     read
 *     {"a": 1, "b": "x"}    emitted
 */
export class JsonParser implements Consumer {
  done = false;
  broken = false;
  /** Missing closing brackets were added because a marker of `stopsAt` came. */
  stopped = false;
  private state: State = 'value';
  private readonly stack: number[] = [];
  private buffer = '';
  /** A comma or closing quote with the white space after it, not emitted until it is clear what follows. */
  private pending = '';
  private pendingQuote = false;
  private newline = false;
  /** The container was just opened, so it may close immediately. */
  private fresh = false;
  private comma = false;
  /** Offset of the pending comma. */
  private commaAt = 0;
  private bareLast = false;
  private copyFrom = 0;
  private closers = '"';
  private rawString = false;
  /**
   * The last three characters or more of the current string, if it has that many; an escape counts as one character.
   */
  private before = '';
  /** End offset of a Windows path in which backslashes are literal. */
  private literalUntil = 0;
  private triple = false;
  private key = false;
  private token = '';
  /** The delimiters that may open a raw string, and the one that closes the current string. */
  private readonly words: readonly QuoteWord[];
  private closingWord = '';
  private started = false;
  private resume: State = 'value';

  constructor(
    private readonly scan: Scanner,
    private readonly options: JsonParserOptions,
  ) {
    this.words = quoteWords(options.quote);
  }

  consume(text: string, from: number, ended: boolean): number {
    if (from === 0 && this.isInside(text)) {
      this.options.out(text);
      return text.length;
    }
    this.copyFrom = from;
    let at = from;
    while (at < text.length && !this.done) {
      const next = this.step(text, at, ended);
      if (next < 0) break;
      at = next;
    }
    if (this.pending !== '') {
      this.pending += text.slice(this.copyFrom, at);
    } else if (this.copyFrom < at) {
      this.buffer += this.copyFrom === 0 && at === text.length ? text : text.slice(this.copyFrom, at);
    }
    this.copyFrom = at;
    if (this.buffer !== '') {
      const json = this.buffer;
      this.buffer = '';
      this.options.out(json);
    }
    return at;
  }

  /**
   * Fast path: passes through a text that is exactly one strict JSON object; returns its length, or 0 if it is not one.
   */
  takeWhole(text: string): number {
    if (this.started || text[0] !== '{' || !text.endsWith('}') || parseWhole(text) === undefined) return 0;
    this.started = true;
    this.done = true;
    this.options.out(text);
    return text.length;
  }

  /** True for a piece that lies wholly inside a strict string and can be passed through. */
  private isInside(text: string): boolean {
    if (this.state !== 'string' || this.closers !== '"' || this.options.python) return false;
    let plainFrom = -1;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 34 || code < 32) return false;
      if (code !== 92) continue;
      const next = text.charCodeAt(at + 1);
      // A Windows path may begin or continue here: `C:\`, `\\host`.
      if (at === 0 || next === 92 || text[at - 1] === ':' || !isSimpleEscape(next)) return false;
      plainFrom = ++at + 1;
    }
    if (this.scan.base < this.literalUntil && plainFrom >= 0) return false;
    if (plainFrom >= 0) this.before = ` ${text.slice(plainFrom)}`.slice(-3);
    else this.passed(text, 0, text.length);
    return true;
  }

  /** Consumes one token at `at`; returns the next index, or -1 to wait for more text. */
  private step(text: string, at: number, ended: boolean): number {
    switch (this.state) {
      case 'string':
        return this.inString(text, at, ended);
      case 'word-string':
        return this.inWordString(text, at, ended);
      case 'bare':
        return this.inBare(text, at);
      case 'line-comment':
      case 'block-comment':
        return this.inComment(text, at, ended);
      default:
        return this.structure(text, at, ended);
    }
  }

  private structure(text: string, at: number, ended: boolean): number {
    const char = text[at] as string;
    if (char === ' ' || char === '\t' || char === '\r' || char === '\n') {
      if (char === '\n') this.newline = true;
      if (!this.started) this.copyFrom = at + 1;
      return at + 1;
    }
    if (isBlankCode(text.charCodeAt(at))) return this.skip(text, at, at + 1, 'skip-invisible');
    if (char === '/' || (char === '#' && this.options.python)) {
      const comment = this.comment(text, at, ended);
      if (comment !== undefined) return comment;
    }
    switch (this.state) {
      case 'key':
        return this.atKey(text, at, char, ended);
      case 'colon':
        return this.atColon(text, at, char);
      case 'after':
        return this.atAfter(text, at, char, ended);
      default:
        return this.atValue(text, at, char, ended);
    }
  }

  private atValue(text: string, at: number, char: string, ended: boolean): number {
    const top = this.stack.at(-1);
    if (char === '{' || char === '[' || (char === '(' && this.options.python)) {
      this.keep(text, at);
      if (char === '(') this.replace(text, at, at + 1, '[');
      this.stack.push(char === '{' ? inObject : char === '[' ? inArray : inTuple);
      this.state = char === '{' ? 'key' : 'value';
      this.fresh = true;
      this.comma = false;
      this.started = true;
      return at + 1;
    }
    if ((char === ']' && top === inArray) || (char === ')' && top === inTuple)) {
      if (this.fresh || this.comma) return this.close(text, at);
      return this.fail(at);
    }
    if (char === ',' && top !== inObject && (this.fresh || this.comma))
      return this.skip(text, at, at + 1, 'drop-commas');
    const quoted = this.atQuoteWord(text, at, false, ended);
    if (quoted !== undefined) return quoted;
    if (closingQuotes[char] !== undefined) return this.openString(text, at, char, false, ended);
    if (isBare(text.charCodeAt(at))) return this.openBare(text, at, false);
    return this.fail(at);
  }

  private atKey(text: string, at: number, char: string, ended: boolean): number {
    if (char === '}') return this.close(text, at);
    if (char === ',') return this.skip(text, at, at + 1, 'drop-commas');
    // `{</tool_call>`: an object that was just opened is complete, too.
    const stopped = this.fresh ? this.atStopWord(text, at, ended) : undefined;
    if (stopped !== undefined) return stopped;
    const quoted = this.atQuoteWord(text, at, true, ended);
    if (quoted !== undefined) return quoted;
    if (closingQuotes[char] !== undefined) return this.openString(text, at, char, true, true);
    if (isBare(text.charCodeAt(at))) return this.openBare(text, at, true);
    return this.fail(at);
  }

  /** Opens a string with the dialect's own delimiter; undefined if none begins here. */
  private atQuoteWord(text: string, at: number, key: boolean, ended: boolean): number | undefined {
    let undecided = false;
    for (const word of this.words) {
      if (text.startsWith(word.open, at)) return this.openWordString(text, at, word, key);
      undecided ||= !ended && text.length - at < word.open.length && word.open.startsWith(text.slice(at));
    }
    return undecided ? -1 : undefined;
  }

  private atColon(text: string, at: number, char: string): number {
    if (char !== ':') return this.fail(at);
    this.keep(text, at);
    this.state = 'value';
    this.fresh = false;
    this.comma = false;
    return at + 1;
  }

  private atAfter(text: string, at: number, char: string, ended: boolean): number {
    const top = this.stack.at(-1);
    if (char === ',') return this.atComma(text, at);
    if ((char === '}' && top === inObject) || (char === ']' && top === inArray) || (char === ')' && top === inTuple)) {
      return this.close(text, at);
    }
    const stopped = this.atStopWord(text, at, ended);
    if (stopped !== undefined) return stopped;
    const under = char === '}' ? inObject : char === ']' ? inArray : 0;
    if (under !== 0 && this.stack.includes(under)) return this.closeWithMissing(text, at, under);
    if (this.bareLast && !this.newline && (char === '"' || char === "'")) {
      const behind = behindQuote.exec(text.slice(at, at + 34)) as RegExpExecArray;
      if (behind[1] === '' && !ended && at + behind[0].length >= text.length) return -1;
      if (behind[1] !== '') return this.skip(text, at, at + 1, 'drop-quote');
    }
    if (
      (!this.pendingQuote || this.newline) &&
      (closingQuotes[char] !== undefined || (top !== inObject && /[{[\d-]/.test(char)))
    )
      return this.addComma(text, at);
    return this.fail(at);
  }

  /** A comma is held until a member is known to follow: before a closing bracket it is dropped. */
  private atComma(text: string, at: number): number {
    this.keep(text, at);
    this.flush(text, at);
    this.pending = ',';
    this.commaAt = this.scan.base + at;
    this.copyFrom = at + 1;
    this.comma = true;
    this.fresh = false;
    this.state = this.stack.at(-1) === inObject ? 'key' : 'value';
    return at + 1;
  }

  /** `{"a": [1, 2}`: the containers that are open inside the closed one lack their closing brackets. */
  private closeWithMissing(text: string, at: number, ended: number): number {
    this.keep(text, at);
    this.flush(text, at);
    this.options.repair('add-closers', this.scan.base + at, this.scan.base + at + 1);
    while (this.stack.at(-1) !== ended) this.buffer += this.stack.pop() === inObject ? '}' : ']';
    return this.close(text, at);
  }

  /** `{"a": 1 "b": 2}`: a member begins without a preceding comma. */
  private addComma(text: string, at: number): number {
    this.keep(text, at);
    this.flush(text, at);
    this.buffer += ',';
    this.options.repair('add-commas', this.scan.base + at, this.scan.base + at);
    this.comma = true;
    this.state = this.stack.at(-1) === inObject ? 'key' : 'value';
    return at;
  }

  /** Ends the value at a marker that may follow it; undefined if there is none. */
  private atStopWord(text: string, at: number, ended: boolean): number | undefined {
    for (const stop of this.options.stopsAt ?? []) {
      if (text.startsWith(stop, at)) return this.stop(text, at);
      if (!ended && stop.startsWith(text.slice(at))) return -1;
    }
    return undefined;
  }

  private openString(text: string, at: number, char: string, key: boolean, ended: boolean): number {
    let length = 1;
    this.triple = false;
    if (this.options.python && !key && (char === '"' || char === "'")) {
      const three = text.slice(at, at + 3);
      if (three.length < 3 && !ended && three === char.repeat(three.length)) return -1;
      if (three === char.repeat(3)) {
        this.triple = true;
        length = 3;
      }
    }
    this.keep(text, at);
    this.started = true;
    this.key = key;
    this.before = '';
    this.rawString = this.token.toLowerCase().includes('r') && this.options.python === true;
    this.token = '';
    this.closers = closingQuotes[char] as string;
    if (char !== '"' || length > 1) {
      this.replace(text, at, at + length, '"');
      if (char > '~') this.options.repair('straighten-quotes', this.scan.base + at, this.scan.base + at + 1);
      else if (!this.options.python) this.options.repair('double-quotes', this.scan.base + at, this.scan.base + at + 1);
    }
    this.state = 'string';
    return at + length;
  }

  private inString(text: string, at: number, ended: boolean): number {
    const closers = this.closers;
    let i = at;
    if (closers === '"') {
      for (; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code === 34 || code === 92 || code < 32) break;
      }
    } else {
      for (; i < text.length; i++) {
        const char = text[i] as string;
        if (char < ' ' || char === '\\' || char === '"' || closers.includes(char)) break;
      }
    }
    if (i > at) this.passed(text, at, i);
    if (i >= text.length) return i;
    const char = text[i] as string;
    if (closers.includes(char)) {
      if (!this.triple) return this.closeString(text, i, 1, char);
      const three = text.slice(i, i + 3);
      if (three === char.repeat(3)) return this.closeString(text, i, 3, char);
      if (three.length < 3 && !ended && three === char.repeat(three.length)) return i === at ? -1 : i;
    }
    if (char === '\\') {
      const next = this.escape(text, i, ended);
      if (next < 0) return i > at ? i : next;
      this.before = text[i + 1] === '\\' || next === i + 1 ? '\\' : ' ';
      return next;
    }
    this.before = (this.before + char).slice(-3);
    this.replace(text, i, i + 1, char === '"' ? '\\"' : escapeChar(char));
    if (char < ' ' && !this.triple) this.options.repair('escape-control', this.scan.base + i, this.scan.base + i + 1);
    return i + 1;
  }

  /** Remembers the end of the string so far; a small piece is kept whole, as slicing it costs more than reading it. */
  private passed(text: string, from: number, to: number): void {
    if (to - from < 3) this.before = (this.before + text.slice(from, to)).slice(-3);
    else this.before = from === 0 && to === text.length && to <= 64 ? text : text.slice(to - 3, to);
  }

  private escape(text: string, at: number, ended: boolean): number {
    if (at + 1 >= text.length) return ended ? this.fail(at) : -1;
    const char = text[at + 1] as string;
    if (this.scan.base + at < this.literalUntil) return this.keepBackslash(text, at, 1, true);
    // a path begins after a drive's colon or with two backslashes
    if (!this.rawString && (char === '\\' || this.before.endsWith(':'))) {
      const path = windowsPathAt(text, at, this.before, ended, this.options.python === true);
      if (path === 'unsure') return -1;
      if (path?.literal) {
        this.literalUntil = this.scan.base + path.end;
        return this.keepBackslash(text, at, 1, true);
      }
    }
    if (this.rawString) return this.keepBackslash(text, at, char === "'" || char === '"' ? 2 : 1, false);
    if (char === 'u') {
      const digits = text.slice(at + 2, at + 6);
      if (/^[\da-fA-F]{4}$/.test(digits)) return at + 6;
      if (at + 6 > text.length && !ended && /^[\da-fA-F]*$/.test(digits)) return -1;
      return this.keepBackslash(text, at, 1, true);
    }
    if (this.options.python) return this.pythonEscape(text, at, char, ended);
    if ('"\\/bfnrt'.includes(char)) return at + 2;
    if (char !== '"' && this.closers.includes(char)) {
      this.replace(text, at, at + 2, char);
      return at + 2;
    }
    if (char === "'") {
      this.options.repair('drop-backslash', this.scan.base + at, this.scan.base + at + 1);
      this.replace(text, at, at + 2, char);
      return at + 2;
    }
    return this.keepBackslash(text, at, 1, true);
  }

  private pythonEscape(text: string, at: number, char: string, ended: boolean): number {
    if ('"\\bfnrt'.includes(char)) return at + 2;
    const simple = pythonEscapes[char];
    if (simple !== undefined) {
      this.replace(text, at, at + 2, simple);
      return at + 2;
    }
    const length = char === 'x' ? 2 : char === 'U' ? 8 : 0;
    if (length > 0) {
      const digits = text.slice(at + 2, at + 2 + length);
      if (digits.length < length && !ended && /^[\da-fA-F]*$/.test(digits)) return -1;
      const code = Number.parseInt(digits, 16);
      if (digits.length === length && /^[\da-fA-F]+$/.test(digits) && code <= 0x10ffff) {
        this.replace(text, at, at + 2 + length, escapeText(String.fromCodePoint(code)));
        return at + 2 + length;
      }
    }
    const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
    if (octal !== undefined) {
      if (octal.length < 3 && at + 1 + octal.length >= text.length && !ended) return -1;
      this.replace(text, at, at + 1 + octal.length, escapeText(String.fromCharCode(Number.parseInt(octal, 8))));
      return at + 1 + octal.length;
    }
    return this.keepBackslash(text, at, 1, false);
  }

  /** The backslash is literal; `taken` characters are then consumed. */
  private keepBackslash(text: string, at: number, taken: number, note: boolean): number {
    this.replace(text, at, at + 1, '\\\\');
    if (note) this.options.repair('keep-backslash', this.scan.base + at, this.scan.base + at + 2);
    if (taken === 2) this.replace(text, at + 1, at + 2, text[at + 1] === '"' ? '\\"' : (text[at + 1] as string));
    return at + taken;
  }

  private closeString(text: string, at: number, length: number, char: string): number {
    this.flush(text, at);
    this.copyFrom = at + length;
    if (this.stack.length === 0) {
      this.buffer += '"';
      this.done = true;
      return at + length;
    }
    if (char > '~' || this.closers.length > 1)
      this.options.repair('straighten-quotes', this.scan.base + at, this.scan.base + at + 1);
    else if (char !== '"' && !this.options.python)
      this.options.repair('double-quotes', this.scan.base + at, this.scan.base + at + 1);
    this.pending = '"';
    this.ended(true);
    return at + length;
  }

  private openWordString(text: string, at: number, { open, close }: QuoteWord, key: boolean): number {
    this.keep(text, at);
    this.started = true;
    this.key = key;
    const behind = at + open.length;
    this.replace(text, at, behind, '"');
    if (open !== this.options.quote) this.options.repair('double-quotes', this.scan.base + at, this.scan.base + behind);
    this.closingWord = close;
    this.state = 'word-string';
    return behind;
  }

  private inWordString(text: string, at: number, ended: boolean): number {
    const word = this.closingWord;
    const end = text.indexOf(word, at);
    if (end >= 0) {
      this.buffer += `${escapeText(text.slice(at, end))}"`;
      this.copyFrom = end + word.length;
      if (this.stack.length === 0) this.done = true;
      else this.ended(false);
      return end + word.length;
    }
    let stop = text.length;
    if (!ended) {
      for (let length = Math.min(word.length - 1, text.length - at); length > 0; length--) {
        if (text.endsWith(word.slice(0, length))) {
          stop = text.length - length;
          break;
        }
      }
    }
    this.buffer += escapeText(text.slice(at, stop));
    this.copyFrom = stop;
    return stop === at ? -1 : stop;
  }

  private openBare(text: string, at: number, key: boolean): number {
    this.keep(text, at);
    this.flush(text, at);
    this.started = true;
    this.key = key;
    this.token = '';
    this.state = 'bare';
    return at;
  }

  private inBare(text: string, at: number): number {
    let i = at;
    while (i < text.length && isBare(text.charCodeAt(i))) i++;
    this.token += text.slice(at, i);
    this.copyFrom = i;
    if (i >= text.length) return i;
    const from = this.scan.base + i - this.token.length;
    const char = text[i] as string;
    if (this.options.python && !this.key && /^[rbuf]{1,2}$/i.test(this.token) && (char === '"' || char === "'")) {
      this.state = 'value';
      return i;
    }
    const json = this.bare(from);
    if (json === undefined) return this.fail(i);
    this.buffer += json;
    this.token = '';
    if (this.stack.length === 0) {
      this.done = true;
      return i;
    }
    this.ended(false);
    this.bareLast = true;
    return i;
  }

  private bare(from: number): string | undefined {
    const token = this.token;
    const to = from + token.length;
    if (this.key) {
      if (!identifier.test(token)) return undefined;
      if (!this.options.bareKeys) this.options.repair('quote-keys', from, to);
      return `"${token}"`;
    }
    if (literals.has(token) || number.test(token)) return token;
    const literal = Object.hasOwn(pythonLiterals, token) ? pythonLiterals[token] : undefined;
    if (literal !== undefined) {
      if (!this.options.python) this.options.repair('python-literals', from, to);
      return literal;
    }
    if (/\d/.test(token) && looseNumber.test(token)) {
      const strict = token.replaceAll('_', '').replace('+', (plus, place: number) => (place === 0 ? '' : plus));
      const filled = strict.replace(/^(-?)\./, '$10.').replace(/\.(?=$|e)/i, '.0');
      if (number.test(filled)) {
        this.options.repair('mend-numbers', from, to);
        return filled;
      }
    }
    if (!this.options.bareStrings || this.stack.at(-1) !== inObject) return undefined;
    this.options.repair('restore-markers', from, to);
    return `"${escapeText(token)}"`;
  }

  /** At the end of the text: completes an unquoted top-level value. True if it is valid. */
  finishBare(): boolean {
    if (this.state !== 'bare' || this.stack.length > 0) return false;
    const json = this.bare(this.scan.offset - this.token.length);
    if (json === undefined) return false;
    this.options.out(json);
    this.done = true;
    return true;
  }

  /** Adds the missing closing brackets after a complete member that is not a number; false in any other state. */
  closeAll(): boolean {
    if (this.state !== 'after' || this.bareLast || this.stack.length === 0) return false;
    let json = this.pending;
    this.pending = '';
    while (this.stack.length > 0) json += this.stack.pop() === inObject ? '}' : ']';
    this.options.out(json);
    this.done = true;
    return true;
  }

  private comment(text: string, at: number, ended: boolean): number | undefined {
    if (text[at] === '/' && at + 1 >= text.length && !ended) return -1;
    // `#*` begins a line comment.
    const block = text.startsWith('/*', at);
    if (text[at] === '/' && !block && text[at + 1] !== '/') return undefined;
    this.resume = this.state;
    this.state = block ? 'block-comment' : 'line-comment';
    this.options.repair('drop-comments', this.scan.base + at, this.scan.base + at + 2);
    this.drop(text, at, at + (block ? 2 : 1));
    return at + (block ? 2 : 1);
  }

  private inComment(text: string, at: number, ended: boolean): number {
    const mark = this.state === 'block-comment' ? '*/' : '\n';
    const end = text.indexOf(mark, at);
    if (end < 0) {
      const stop = mark === '*/' && !ended && text.endsWith('*') ? text.length - 1 : text.length;
      this.drop(text, at, stop);
      return stop === at ? -1 : stop;
    }
    this.state = this.resume;
    const behind = this.scan.base + (mark === '\n' ? end : end + mark.length);
    this.options.repair('drop-comments', behind, behind);
    if (mark === '\n') this.newline = true;
    this.drop(text, at, end + mark.length);
    return end + mark.length;
  }

  private close(text: string, at: number): number {
    if (this.comma) {
      // "[1, 2, ]"
      this.pending = this.pending.replace(',', '');
      this.options.repair('drop-commas', this.commaAt, this.commaAt + 1);
      if (this.pending === '') this.flush(text, at);
    }
    this.keep(text, at);
    const top = this.stack.pop();
    if (top === inTuple) this.replace(text, at, at + 1, ']');
    if (this.stack.length === 0) {
      this.done = true;
      return at + 1;
    }
    this.ended(false);
    return at + 1;
  }

  private stop(text: string, at: number): number {
    this.keep(text, at);
    this.flush(text, at);
    if (this.stack.length > 0) this.options.repair('add-closers', this.scan.base + at, this.scan.base + at);
    while (this.stack.length > 0) this.buffer += this.stack.pop() === inObject ? '}' : ']';
    this.done = true;
    this.stopped = true;
    return at;
  }

  /** A member has ended. */
  private ended(quote: boolean): void {
    this.state = this.key ? 'colon' : 'after';
    this.key = false;
    this.pendingQuote = quote;
    this.newline = false;
    this.bareLast = false;
    this.fresh = false;
    this.comma = false;
  }

  /** Emits what was pending, unchanged. */
  private keep(text: string, at: number): void {
    if (this.pending === '') return;
    this.buffer += this.pending + text.slice(this.copyFrom, at);
    this.pending = '';
    this.copyFrom = at;
  }

  private flush(text: string, at: number): void {
    if (this.copyFrom < at) this.buffer += text.slice(this.copyFrom, at);
    this.copyFrom = at;
  }

  private replace(text: string, at: number, to: number, json: string): void {
    this.flush(text, at);
    this.buffer += json;
    this.copyFrom = to;
  }

  private drop(text: string, at: number, to: number): void {
    if (this.pending === '') this.flush(text, at);
    else this.pending += text.slice(this.copyFrom, at);
    this.copyFrom = to;
  }

  private skip(text: string, at: number, to: number, rule: Rule): number {
    if (this.started) this.options.repair(rule, this.scan.base + at, this.scan.base + to);
    this.drop(text, at, to);
    return to;
  }

  private fail(at: number): number {
    this.broken = true;
    this.done = true;
    return at;
  }
}
