import { StringBuilder } from './string-builder.ts';

/** A piece of grammar: `yield` means "wait for more text". */
export type Step<T> = Generator<void, T, void>;

/**
 * Takes the characters of one long value without waking the grammar for each piece.
 * `eat` answers with the index up to which it read; what it leaves is shown again with more text behind it.
 */
export interface Consumer {
  done: boolean;
  consume(text: string, from: number, ended: boolean): number;
}

/** Thrown inside a grammar, and caught by the reader only: this cannot be read any further. No `Error`, as a stack trace for each would cost more than the reading. */
export class ParseFailure {
  constructor(readonly reason: 'broken' | 'cut' | 'not-a-call') {}
}

/** More text decides. */
export const unsure = Symbol('unsure');

const blank = /[\s\u200b-\u200d\u2060\ufeff]/;

/** White space, or characters that are not seen: BOM, zero-width space. */
export const isBlank = (char: string): boolean => blank.test(char);

/** The same for a character's code. */
export const isBlankCode = (code: number): boolean =>
  code <= 32 ? code === 32 || (code >= 9 && code <= 13) : code >= 160 && blank.test(String.fromCharCode(code));

/** Text that may not have come yet. Positions are UTF-16 offsets from the start of the whole text. */
export class Scanner {
  text = '';
  at = 0;
  ended = false;
  cut = false;
  /** Offset of `text[0]`. */
  base = 0;
  /** Where the white space that was taken last began and ended. */
  private blankFrom = 0;
  private blankTo = -1;
  private consumer: Consumer | undefined;
  private marked = -1;
  private readonly keptFrom = new StringBuilder();
  private pinned = -1;
  /** The text from the pin to `base`. */
  private readonly keptFromPin = new StringBuilder();

  /** Takes more text; false if the grammar need not be woken, as the value it waits for goes on. */
  push(chunk: string): boolean {
    const eater = this.consumer;
    if (!eater) {
      if (this.at > 0) this.drop();
      this.text += chunk;
      return true;
    }
    this.append(chunk);
    this.at = eater.consume(this.text, this.at, false);
    return eater.done;
  }

  /** No more text comes; `cut` if it was not the model that stopped. */
  end(cut = false): void {
    this.ended = true;
    this.cut = cut;
  }

  get offset(): number {
    return this.base + this.at;
  }

  /** The offset behind what was taken, without white space at its end. */
  get endWithoutBlanks(): number {
    return this.offset === this.blankTo ? this.blankFrom : this.offset;
  }

  /** Keeps the text from here on, so that it can be taken back. */
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

  /** Keeps the text from the mark on, whatever becomes of the mark, so that all of it can be read again. Answers with its offset. */
  pin(): number {
    this.unpin();
    this.pinned = this.marked;
    this.keptFromPin.push(this.keptFrom.text());
    return this.pinned;
  }

  /** Characters that have been taken since the pin. */
  get sincePin(): number {
    return this.offset - this.pinned;
  }

  unpin(): void {
    this.pinned = -1;
    this.keptFromPin.clear();
  }

  /** Goes back to the pin, with nothing marked, and takes it away. */
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

  /** All text that has come behind `from`, which must not lie before the pin. */
  textFrom(from: number): string {
    if (from >= this.base) return this.text.slice(from - this.base);
    return this.keptFromPin.last(this.base - from) + this.text;
  }

  /** The text from `from` (default: the mark) to here; `from` must not lie before the mark. */
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

  /** Goes back over `length` characters behind the mark. */
  back(length: number): void {
    this.blankTo = -1;
    if (length <= this.at) {
      this.at -= length;
      return;
    }
    this.takeBack(this.offset - length);
  }

  /** Waits for more text; false if there is none. */
  *more(): Step<boolean> {
    if (this.ended) return false;
    yield;
    return true;
  }

  /** The next character without taking it; '' at the end. */
  *peek(): Step<string> {
    while (this.at >= this.text.length) if (!(yield* this.more())) return '';
    return this.text[this.at] as string;
  }

  /** Up to `length` characters ahead, without taking them; fewer only at the end. */
  *ahead(length: number): Step<string> {
    while (this.text.length - this.at < length) if (!(yield* this.more())) break;
    return this.text.slice(this.at, this.at + length);
  }

  /**
   * Shows what comes next, at most `most` characters of it and as soon as any of it is there, until `judge` is sure; it
   * must be when there is no more to come (`all`).
   */
  *look<T>(most: number, judge: (ahead: string, all: boolean) => T | typeof unsure): Step<T> {
    for (;;) {
      const ahead = this.text.slice(this.at, this.at + most);
      const found = judge(ahead, this.ended || ahead.length === most);
      if (found !== unsure) return found;
      yield* this.more();
    }
  }

  /** True if `word` comes next. Waits no longer than the text could still become it. */
  *isAhead(word: string): Step<boolean> {
    for (;;) {
      const have = this.text.length - this.at;
      if (have >= word.length) return this.text.startsWith(word, this.at);
      if (!word.startsWith(this.text.slice(this.at))) return false;
      if (!(yield* this.more())) return false;
    }
  }

  /** Takes `word` if it comes next. */
  *takeText(word: string): Step<boolean> {
    if (!(yield* this.isAhead(word))) return false;
    this.at += word.length;
    return true;
  }

  /** Takes the first of `words` that comes next; longer ones should stand first. */
  *oneOf(words: readonly string[]): Step<string | undefined> {
    for (const word of words) if (yield* this.takeText(word)) return word;
    return undefined;
  }

  /** Takes white space and invisible characters; true if there were invisible ones. */
  *space(): Step<boolean> {
    const from = this.offset;
    let odd = false;
    do {
      while (this.at < this.text.length && isBlank(this.text[this.at] as string)) {
        if (this.text.charCodeAt(this.at++) > 127) odd = true;
      }
    } while (this.at >= this.text.length && (yield* this.more()));
    if (this.offset > from) {
      if (from !== this.blankTo) this.blankFrom = from;
      this.blankTo = this.offset;
    }
    return odd;
  }

  /** Takes characters that match, at most `most`. */
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

  /** Looks at what follows white space (at most 256 characters of it) without taking anything. */
  *afterSpace(length: number): Step<string> {
    let skip = 0;
    for (;;) {
      while (this.at + skip < this.text.length && skip < 256 && isBlank(this.text[this.at + skip] as string)) skip++;
      if (this.at + skip + length <= this.text.length || skip >= 256 || !(yield* this.more())) break;
    }
    return this.text.slice(this.at + skip, this.at + skip + length);
  }

  /** Lets `eater` take text until it is done; false if the text ended before. */
  *feedConsumer(eater: Consumer): Step<boolean> {
    for (;;) {
      this.at = eater.consume(this.text, this.at, this.ended);
      if (eater.done) return true;
      if (this.ended) return false;
      this.consumer = eater;
      yield;
      this.consumer = undefined;
      if (eater.done) return true;
    }
  }

  /** Takes more text for one that looks at it without the grammar. */
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

  /** Leaves behind a text that was taken to its end. */
  private pass(): void {
    if (this.marked >= this.base || this.pinned >= this.base) this.drop();
    else {
      if (this.marked >= 0) this.keptFrom.push(this.text);
      if (this.pinned >= 0) this.keptFromPin.push(this.text);
      this.base += this.text.length;
    }
  }

  /** The text begins at an offset further back than it did, behind the mark, and so does what comes next. */
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

/** Runs a grammar over a whole text. The grammar never waits, as there is nothing to wait for. */
export function runWhole<T>(step: Step<T>): T {
  for (;;) {
    const { done, value } = step.next();
    if (done) return value as T;
  }
}
