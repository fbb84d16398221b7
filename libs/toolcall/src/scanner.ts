import { StringBuilder } from '@callsmith/turn';

/** A part of a grammar: `yield` means "wait for more text". */
export type Step<T> = Generator<void, T, void>;

/**
 * Consumes the characters of one long value without resuming the grammar for each piece. `consume` returns the index up
 * to which it read; the rest is passed again with more text after it.
 */
export interface Consumer {
  done: boolean;
  consume(text: string, from: number, ended: boolean): number;
  /** True if this piece, behind what was left, need not be passed yet. Absent: every piece is passed. */
  waits?(piece: string): boolean;
}

/**
 * Thrown inside a grammar and caught only by the parser: the text cannot be parsed further. Not an `Error`, as a stack
 * trace for each would cost more than the parsing.
 */
export class ParseFailure {
  constructor(readonly reason: 'broken' | 'cut' | 'not-a-call') {}
}

/** Result of a look-ahead that needs more text to decide. */
export const unsure = Symbol('unsure');

const blank = /[\s\u200b-\u200d\u2060\ufeff]/;

/** White space or invisible characters: BOM, zero-width space. */
export const isBlank = (char: string): boolean => blank.test(char);

/** The same for a character code. */
export const isBlankCode = (code: number): boolean =>
  code <= 32 ? code === 32 || (code >= 9 && code <= 13) : code >= 160 && blank.test(String.fromCharCode(code));

/** Text that may not have arrived yet. Positions are UTF-16 offsets from the start of the whole text. */
export class Scanner {
  text = '';
  at = 0;
  ended = false;
  cut = false;
  /** Offset of `text[0]`. */
  base = 0;
  /** Range of the white space that was consumed last. */
  private blankFrom = 0;
  private blankTo = -1;
  private consumer: Consumer | undefined;
  private marked = -1;
  private readonly keptFrom = new StringBuilder();
  private pinned = -1;
  /** The text from the pin to `base`. */
  private readonly keptFromPin = new StringBuilder();

  /** Adds text; false if the grammar need not resume, as the value it waits for continues. */
  push(chunk: string): boolean {
    const consumer = this.consumer;
    if (!consumer) {
      if (this.at > 0) this.drop();
      this.text += chunk;
      return true;
    }
    this.append(chunk);
    if (consumer.waits?.(chunk)) return false;
    this.at = consumer.consume(this.text, this.at, false);
    return consumer.done;
  }

  /** No more text follows; `cut` if it was not the model that stopped. */
  end(cut = false): void {
    this.ended = true;
    this.cut = cut;
  }

  get offset(): number {
    return this.base + this.at;
  }

  /** The offset after the consumed text, without its trailing white space. */
  get endWithoutBlanks(): number {
    return this.offset === this.blankTo ? this.blankFrom : this.offset;
  }

  /** Keeps the text from here on, so that the scanner can go back. */
  mark(): void {
    this.marked = this.offset;
    this.keptFrom.clear();
  }

  markUnlessMarked(): void {
    if (this.marked < 0) this.mark();
  }

  unmark(): void {
    if (this.marked < 0) return;
    this.marked = -1;
    this.keptFrom.clear();
  }

  /**
   * Keeps the text from the mark on, whatever happens to the mark, so that all of it can be parsed again. Returns its
   * offset.
   */
  pin(): number {
    this.unpin();
    this.pinned = this.marked;
    this.keptFromPin.push(this.keptFrom.text());
    return this.pinned;
  }

  /** Characters that were consumed since the pin. */
  get sincePin(): number {
    return this.offset - this.pinned;
  }

  unpin(): void {
    this.pinned = -1;
    this.keptFromPin.clear();
  }

  /** Goes back to the pin and removes the mark and the pin. */
  returnToPin(): void {
    this.consumer = undefined;
    this.blankTo = -1;
    if (this.pinned >= this.base) this.at = this.pinned - this.base;
    else {
      this.text = this.keptFromPin.text() + this.text;
      this.base = this.pinned;
      this.at = 0;
    }
    this.unmark();
    this.unpin();
  }

  /** All text received after `from`, which must not precede the pin. */
  textFrom(from: number): string {
    if (from >= this.base) return this.text.slice(from - this.base);
    return this.keptFromPin.last(this.base - from) + this.text;
  }

  /** The text from `from` (default: the mark) to here; `from` must not precede the mark. */
  since(from = this.marked): string {
    if (from >= this.base) return this.text.slice(from - this.base, this.at);
    return this.keptFrom.last(this.base - from) + this.text.slice(0, this.at);
  }

  /** Goes back to the mark. */
  rewind(): void {
    this.blankTo = -1;
    if (this.marked >= this.base) {
      this.at = this.marked - this.base;
      return;
    }
    this.takeBack(this.marked);
  }

  /** Goes back by `length` characters, at most to the mark. */
  back(length: number): void {
    this.blankTo = -1;
    if (length <= this.at) {
      this.at -= length;
      return;
    }
    this.takeBack(this.offset - length);
  }

  /** Waits for more text; false if it has ended. */
  *more(): Step<boolean> {
    if (this.ended) return false;
    yield;
    return true;
  }

  /** The next character, without consuming it; '' at the end. */
  *peek(): Step<string> {
    while (this.at >= this.text.length) if (!(yield* this.more())) return '';
    return this.text[this.at] as string;
  }

  /** Up to `length` characters ahead, without consuming them; fewer only at the end. */
  *ahead(length: number): Step<string> {
    while (this.text.length - this.at < length) if (!(yield* this.more())) break;
    return this.text.slice(this.at, this.at + length);
  }

  /**
   * Passes up to `most` characters ahead to `judge`, as soon as any are there and again with more, until it decides.
   * With `all` no more follow, and it must decide.
   */
  *look<T>(most: number, judge: (ahead: string, all: boolean) => T | typeof unsure): Step<T> {
    for (;;) {
      const ahead = this.text.slice(this.at, this.at + most);
      const found = judge(ahead, this.ended || ahead.length === most);
      if (found !== unsure) return found;
      yield* this.more();
    }
  }

  /** True if `word` comes next. Waits only as long as the text is a prefix of it. */
  *isAhead(word: string): Step<boolean> {
    for (;;) {
      const have = this.text.length - this.at;
      if (have >= word.length) return this.text.startsWith(word, this.at);
      if (!word.startsWith(this.text.slice(this.at))) return false;
      if (!(yield* this.more())) return false;
    }
  }

  /** Consumes `word` if it comes next. */
  *takeText(word: string): Step<boolean> {
    if (!(yield* this.isAhead(word))) return false;
    this.at += word.length;
    return true;
  }

  /** Consumes the first of `words` that comes next; list longer ones first. */
  *oneOf(words: readonly string[]): Step<string | undefined> {
    for (const word of words) if (yield* this.takeText(word)) return word;
    return undefined;
  }

  /** Consumes white space and invisible characters, at most `most`; true if there were invisible ones. */
  *space(most = Number.POSITIVE_INFINITY): Step<boolean> {
    const from = this.offset;
    const last = from + most;
    let odd = false;
    do {
      while (this.at < this.text.length && this.offset < last && isBlankCode(this.text.charCodeAt(this.at))) {
        if (this.text.charCodeAt(this.at++) > 127) odd = true;
      }
    } while (this.at >= this.text.length && this.offset < last && (yield* this.more()));
    if (this.offset > from) {
      if (from !== this.blankTo) this.blankFrom = from;
      this.blankTo = this.offset;
    }
    return odd;
  }

  /** Consumes the commas and the ASCII white space that have arrived. */
  passSeparators(): void {
    let { at } = this;
    let blank = -1;
    for (; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at);
      if (code === 44) blank = -1;
      else if (code > 32 || !isBlankCode(code)) break;
      else if (blank < 0) blank = at;
    }
    const from = this.offset;
    this.at = at;
    if (blank < 0) return;
    if (this.base + blank !== from || from !== this.blankTo) this.blankFrom = this.base + blank;
    this.blankTo = this.offset;
  }

  /** Consumes characters that match, at most `most`. */
  *run(char: RegExp, most: number): Step<string> {
    let from = this.at;
    let taken = '';
    for (;;) {
      while (
        this.at < this.text.length &&
        taken.length + this.at - from < most &&
        char.test(this.text[this.at] as string)
      )
        this.at++;
      if (this.at < this.text.length || taken.length + this.at - from >= most) break;
      taken += this.text.slice(from, this.at);
      if (!(yield* this.more())) return taken;
      from = this.at;
    }
    return taken + this.text.slice(from, this.at);
  }

  /** Returns what follows white space (at most 256 characters of it) without consuming anything. */
  *afterSpace(length: number): Step<string> {
    let skip = 0;
    for (;;) {
      while (this.at + skip < this.text.length && skip < 256 && isBlank(this.text[this.at + skip] as string)) skip++;
      if (this.at + skip + length <= this.text.length || skip >= 256 || !(yield* this.more())) break;
    }
    return this.text.slice(this.at + skip, this.at + skip + length);
  }

  /** Feeds text to the consumer until it is done; false if the text ended before. */
  *feedConsumer(consumer: Consumer): Step<boolean> {
    for (;;) {
      this.at = consumer.consume(this.text, this.at, this.ended);
      if (consumer.done) return true;
      if (this.ended) return false;
      this.consumer = consumer;
      yield;
      this.consumer = undefined;
      if (consumer.done) return true;
    }
  }

  /** Adds text for a caller that examines it without the grammar. */
  append(chunk: string): void {
    if (this.at < this.text.length) {
      this.drop();
      this.text += chunk;
      return;
    }
    this.pass();
    this.text = chunk;
    this.at = 0;
  }

  /** Drops a text that was consumed to its end. */
  private pass(): void {
    if (this.marked >= this.base || this.pinned >= this.base) this.drop();
    else {
      if (this.marked >= 0) this.keptFrom.push(this.text);
      if (this.pinned >= 0) this.keptFromPin.push(this.text);
      this.base += this.text.length;
    }
  }

  /** Moves the start of the text and the position back to `to`, which must not precede the mark. */
  private takeBack(to: number): void {
    const length = this.base - to;
    this.text = this.keptFrom.takeLast(length) + this.text;
    if (this.pinned >= 0) this.keptFromPin.takeLast(length);
    this.base = to;
    this.at = 0;
  }

  private drop(): void {
    if (this.marked >= 0) {
      const from = Math.max(0, this.marked - this.base);
      if (from < this.at) this.keptFrom.push(this.text.slice(from, this.at));
    }
    if (this.pinned >= 0) {
      const from = Math.max(0, this.pinned - this.base);
      if (from < this.at) this.keptFromPin.push(this.text.slice(from, this.at));
    }
    this.base += this.at;
    this.text = this.text.slice(this.at);
    this.at = 0;
  }
}

/** Runs a grammar over a complete text. The grammar never waits, as all text is there. */
export function runWhole<T>(step: Step<T>): T {
  for (;;) {
    const { done, value } = step.next();
    if (done) return value as T;
  }
}
