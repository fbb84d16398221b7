import type { Dialect, MarkerPosition } from '../dialect.ts';
import { isBlank, Scanner, type Step } from '../scanner.ts';
import { HeldCalls, type HeldScope } from './held-calls.ts';
import { HeldText } from './held-text.ts';
import type { Marker, MarkerSet } from './marker-set.ts';
import { markersFor } from './markers-for.ts';
import type { ParserOutput } from './parser-output.ts';
import type { TextParserOptions, TextPart } from './text-parser-options.ts';
import { Tries } from './tries.ts';

/** Parses a part of the text, in pieces. */
export interface PartParser {
  push(text: string): void;
  end(cut?: boolean): void;
}

const scannerFor = (part: TextPart | undefined): Scanner => {
  const scan = new Scanner();
  if (part) scan.base = part.from;
  return scan;
};

const newline = 10;
const tab = 9;
const plus = 43;
const minus = 45;
const greaterThan = 62;
const bar = 124;
const tabColumns = 4;

/** Least number of preceding characters that are kept, to tell in what context a call appears. */
const mostRecent = 1024;

/** The end of a text that introduces an example: `Example: `, `e.g. `, `A call looks like this: `. */
const beginsExample =
  /(?:^|[\s(*_-])(?:examples?[*_]{0,2}:|for (?:example|instance)\b|e\.\s?g\.|(?:would look|looks?) like(?: this| so)?:?|(?:you|one) (?:call|invoke|use|write)s? [^\n.]{0,24}like (?:this|so):|(?:called|invoked|used|written) (?:like (?:this|so)|as follows):)[*_:,]{0,3}[ \t]*$/i;
/** The same on the line before. */
const beginsExampleBelow = /(?:^|[\s(*_-])(?:examples?|for (?:example|instance))[*_]{0,2}:[*_]{0,2}[ \t]*\r?\n\s*$/i;
/** Characters of the text in which it is looked for. */
const longestIntroduction = 80;
/** A line with nothing but a list item's bullet: `- `, `2. `. */
const beginsItem = /(?:^|\n)[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+$/;
/** The header of a diff or of a hunk, and the other beginnings of its lines. */
const diffHead = /^(?:@@ -\d|diff --git )/;
const diffLine = /^(?:[-+ @\\]|index |$)/;

/** The characters that fences of code blocks consist of. */
export type FenceChar = '`' | '~';

/** State shared by the parts of the text parser: the text, the position in the answer, and what was found so far. */
export class ParserState {
  readonly scan: Scanner;
  readonly markers: MarkerSet;
  text: HeldText;
  lineStart = true;
  answerStart = true;
  /** Columns of white space at the start of the line. */
  private indentation = 0;
  /** The end of the text before the position, back to the last call at most. */
  private recent = '';
  /** The line begins with `+` or `-`. */
  private isChange = false;
  /** The line's number; the last line for which `isInDiff` was evaluated, and the result. */
  private line = 0;
  private askedLine = -1;
  private askedInDiff = false;
  /** The line begins with `>`, or with the `|` of a table. */
  private quoted = false;
  /** The outermost element around the position that shows code. */
  private example: string | undefined;
  /** The element ends with the line. */
  private exampleEndsWithLine = false;
  /** Visible text precedes the position. */
  behindProse = false;
  /** Length of the run of backticks that opened inline code on this line; 0 outside. */
  inlineCode = 0;
  /** Length of the fence that opened the code block around the position; 0 outside. */
  fence = 0;
  /** Nested blocks inside that block that are still open. */
  private fencesInside = 0;
  /** The character that the fence consists of. */
  fenceChar: FenceChar = '`';
  /** Calls found so far. */
  calls = 0;
  /** The dialect of the last of them. */
  lastDialect: Dialect | undefined;
  /** The offset after it and the white space that follows; -1 if there is none yet. */
  behindCall = -1;
  hasReasoning = false;
  /** Counts the failed attempts to parse a call. */
  readonly tries: Tries;
  /** The same for all reasoning blocks together: they may be many and short. */
  readonly triesInReasoning: Tries;
  /** The same for the escaped calls since one could be read. */
  triesInEscaped: Tries;
  /** The model invented a result: the rest of the answer is ignored. */
  ignoring = false;
  /** Calls that may yet turn out to be text. */
  held: HeldCalls | undefined;
  /** Offset of held calls that turned out to be text. */
  textAt = -1;
  /** The state to continue from if the held calls turn out to be text. */
  private readAsText: ParserState | undefined;

  constructor(
    public output: ParserOutput,
    readonly options: TextParserOptions,
    readonly part: TextPart | undefined,
    /** Makes a parser for a part of the text. */
    readonly partParser: (output: ParserOutput, part: TextPart) => PartParser,
    /** Another state at the same position in the text. */
    other?: ParserState,
  ) {
    this.scan = other?.scan ?? scannerFor(part);
    this.tries = other?.tries ?? part?.tries ?? new Tries(this.scan.base);
    this.triesInReasoning = other?.triesInReasoning ?? new Tries(this.scan.base);
    this.triesInEscaped = other?.triesInEscaped ?? new Tries(this.scan.base);
    this.markers = other?.markers ?? markersFor(options);
    this.text = new HeldText(this);
  }

  /** In code no marker is recognized. */
  get inCode(): boolean {
    return this.inlineCode > 0 || this.fence > 0;
  }

  /** A call that counts only if no prose follows begins at the mark: all output from now on is held. */
  holdCalls(until: HeldScope): void {
    this.held?.accept();
    const { output, scan } = this;
    const asText = new ParserState(output, this.options, this.part, this.partParser, this);
    asText.text = this.text.copyFor(asText);
    asText.textAt = scan.pin();
    asText.answerStart = false;
    asText.lineStart = this.lineStart;
    asText.indentation = this.indentation;
    asText.quoted = this.quoted;
    asText.behindProse = this.behindProse;
    asText.recent = this.recent;
    asText.isChange = this.isChange;
    asText.line = this.line;
    asText.askedLine = this.askedLine;
    asText.askedInDiff = this.askedInDiff;
    asText.example = this.example;
    asText.exampleEndsWithLine = this.exampleEndsWithLine;
    asText.calls = this.calls;
    asText.lastDialect = this.lastDialect;
    asText.behindCall = this.behindCall;
    asText.hasReasoning = this.hasReasoning;
    this.readAsText = asText;
    this.held = new HeldCalls(output, scan, until, () => {
      scan.unpin();
      this.output = output;
      this.held = this.readAsText = undefined;
    });
    this.output = this.held;
  }

  /** The held calls are text: returns the state from before them. Undefined: nothing is held. */
  releaseCalls(): ParserState | undefined {
    if (this.readAsText) {
      this.scan.returnToPin();
      this.tries.count();
    }
    return this.readAsText;
  }

  openExample(element: string, endsWithLine: boolean): void {
    if (this.example !== undefined) return;
    this.example = element;
    this.exampleEndsWithLine = endsWithLine;
  }

  closeExample(element: string): void {
    if (this.example === element) this.example = undefined;
  }

  /** A code block begins. */
  openFence(char: FenceChar, length: number): void {
    this.fence = length;
    this.fencesInside = 0;
    this.fenceChar = char;
  }

  /** A fence inside a code block: it opens a nested block, or closes the innermost one. */
  passFence(opens: boolean): void {
    if (opens) this.fencesInside++;
    else if (this.fencesInside > 0) this.fencesInside--;
    else this.fence = 0;
  }

  /** The markers here at this position, the longest first. Waits only while a longer one may still follow. */
  *markersAhead(position: MarkerPosition): Step<readonly Marker[]> {
    const { scan, markers } = this;
    for (;;) {
      const found = markers.at(scan.text, scan.at, position, scan.ended);
      if (found) return found;
      yield* scan.more();
    }
  }

  /** Consumes this many characters. */
  take(length: number): string {
    const { scan } = this;
    const text = scan.text.slice(scan.at, scan.at + length);
    scan.at += length;
    return text;
  }

  /** Emits the text before this index; its effect on the state has already been recorded. */
  emitTo(to: number): void {
    const { scan, text } = this;
    const from = scan.at;
    if (to === from) return;
    scan.at = to;
    const piece = from === 0 && to === scan.text.length ? scan.text : scan.text.slice(from, to);
    this.remember(piece);
    text.emit(piece);
  }

  /** Emits this many characters as text. */
  emitNext(length: number): void {
    const text = this.take(length);
    if (text.trim() !== '') this.passVisible();
    this.remember(text);
    this.text.emit(text);
  }

  /**
   * Appends to the recent text. Every 512 characters its pieces are joined to one string: as a tree of pieces it would
   * retain every network read that one of them was cut from.
   */
  remember(text: string): void {
    if (text.length >= mostRecent) {
      this.recent = text.slice(-mostRecent);
      return;
    }
    const { recent } = this;
    const length = recent.length + text.length;
    const longer = length >> 9 === recent.length >> 9 ? recent + text : [recent, text].join('');
    this.recent = length > 2 * mostRecent ? longer.slice(-mostRecent) : longer;
  }

  /** A call was parsed: the recent text no longer matters. */
  forgetText(): void {
    this.recent = '';
  }

  /** Emits text that was first taken for something else. */
  emitWhole(text: string): void {
    if (text.trim() !== '') {
      this.answerStart = false;
      this.behindProse = true;
    }
    this.lineStart = /\n\s*$/.test(text.slice(-256));
    this.text.release();
    this.output.emitText(text);
  }

  /** Records a visible character. */
  passVisible(): void {
    this.lineStart = false;
    this.answerStart = false;
    this.behindProse = true;
  }

  /** Records that a line begins here. */
  beginLine(): void {
    this.lineStart = true;
    this.indentation = 0;
    this.quoted = false;
    this.isChange = false;
    this.line++;
    this.inlineCode = 0;
    if (this.exampleEndsWithLine) this.example = undefined;
  }

  /** Records a white space character of this code. */
  passIndentation(code: number): void {
    if (code === newline) this.beginLine();
    else if (this.lineStart) this.indentation += code === tab ? tabColumns : 1;
  }

  /** Records the line's first visible character. */
  beginText(code: number): void {
    this.quoted = code === greaterThan || code === bar;
    this.isChange = code === plus || code === minus;
  }

  /** The words directly before the position introduce an example. */
  get isIntroduced(): boolean {
    const before = this.recent.slice(-longestIntroduction);
    return beginsExample.test(before) || beginsExampleBelow.test(before);
  }

  /** Only a list item's bullet precedes the position on its line. */
  get beginsItem(): boolean {
    return beginsItem.test(this.recent.slice(-64));
  }

  /** The line is one that a diff adds or removes. */
  get isInDiff(): boolean {
    if (!this.isChange) return false;
    if (this.askedLine !== this.line) {
      this.askedInDiff = this.endsInDiff();
      this.askedLine = this.line;
    }
    return this.askedInDiff;
  }

  /**
   * True if only lines of a diff separate its header from the position. Searches back no further than the line that was
   * evaluated last.
   */
  private endsInDiff(): boolean {
    const text = this.recent.slice(-mostRecent);
    let line = this.line;
    for (let to = text.lastIndexOf('\n'); to >= 0; ) {
      if (--line === this.askedLine) return this.askedInDiff;
      const from = to === 0 ? 0 : text.lastIndexOf('\n', to - 1) + 1;
      const before = text.slice(from, to);
      if (diffHead.test(before)) return true;
      if (!diffLine.test(before)) return false;
      to = from - 1;
    }
    return false;
  }

  /** The character before the marker opens a quotation in a sentence. */
  get isQuotedInLine(): boolean {
    const { recent } = this;
    return recent !== '' && '"\'“‘«「('.includes(recent[recent.length - 1] as string);
  }

  /**
   * The line is in an indented code block, a quotation or a table (as in Markdown), or in an element for code: what it
   * holds is shown, not called.
   */
  get isShown(): boolean {
    return this.quoted || this.indentation >= tabColumns || this.example !== undefined;
  }

  /** Consumes white space that only separates. */
  *skipWhitespace(): Step<void> {
    const { scan } = this;
    const pieces: string[] = [];
    for (;;) {
      const from = scan.at;
      while (scan.at < scan.text.length && isBlank(scan.text[scan.at] as string)) scan.at++;
      pieces.push(scan.text.slice(from, scan.at));
      if (scan.at < scan.text.length || !(yield* scan.more())) break;
    }
    this.passWhitespace(pieces.join(''));
  }

  /** Records consumed white space that only separates. */
  passWhitespace(space: string): void {
    this.output.emitWhitespace(space);
    this.beginLine();
    for (let at = space.lastIndexOf('\n') + 1; at < space.length; at++) this.passIndentation(space.charCodeAt(at));
  }
}
