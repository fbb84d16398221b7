import type { Dialect, MarkerPosition } from '../dialect.ts';
import { isBlank, Scanner, type Step } from '../scanner.ts';
import { HeldCalls, type HeldScope } from './held-calls.ts';
import { HeldText } from './held-text.ts';
import type { Marker, MarkerSet } from './marker-set.ts';
import { markersFor } from './markers-for.ts';
import type { ParserOutput } from './parser-output.ts';
import type { TextParserOptions, TextPart } from './text-parser-options.ts';
import { Tries } from './tries.ts';

/** Takes text and of its end. */
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

/** Characters of the text before the position that are kept at least, to tell what a call stands behind. */
const mostRecent = 1024;

/** The end of a line that introduces an example: `Example: `, `e.g. `, `A call would look like: `. */
const beginsExample =
  /(?:^|[\s(*_-])(?:examples?[*_]{0,2}:|for (?:example|instance)\b|e\.\s?g\.|would look like)[*_:,]{0,3}[ \t]*$/i;
/** A line that begins a list's item, and nothing else: `- `, `2. `. */
const beginsItem = /(?:^|\n)[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+$/;
/** The head of a diff or of a part of it, and what else its lines begin with. */
const diffHead = /^(?:@@ -\d|diff --git )/;
const diffLine = /^(?:[-+ @\\]|index |$)/;

/** What fences of code blocks are made of. */
export type FenceChar = '`' | '~';

/** What the text parser's parts share: the text, the position in the answer, and what has been found so far. */
export class ParserState {
  readonly scan: Scanner;
  readonly markers: MarkerSet;
  text: HeldText;
  lineStart = true;
  answerStart = true;
  /** Columns of white space at the line's start. */
  private indentation = 0;
  /** The end of the text before the position, up to the last call. */
  private recent = '';
  /** The line begins with `+` or `-`. */
  private isChange = false;
  /** The number of the line, of the last one of which it was asked if it is in a diff, and the answer. */
  private line = 0;
  private askedLine = -1;
  private askedInDiff = false;
  /** The line begins with `>`, or with the `|` of a table. */
  private quoted = false;
  /** The outermost element round the position in which a document shows code. */
  private example: string | undefined;
  /** It ends with the line. */
  private exampleEndsWithLine = false;
  /** Visible text stands before the position. */
  behindProse = false;
  /** Backticks that opened inline code on this line; 0 outside. */
  inlineCode = 0;
  /** Characters of the fence that opened the code block around the position; 0 outside. */
  fence = 0;
  /** Blocks that were opened inside that block, and not closed. */
  private fencesInside = 0;
  /** Which character that fence is made of. */
  fenceChar: FenceChar = '`';
  /** Calls found so far. */
  calls = 0;
  /** The dialect of the last of them. */
  lastDialect: Dialect | undefined;
  /** The offset behind it and the white space that follows; -1 before there is one. */
  behindCall = -1;
  hasReasoning = false;
  /** What was tried as a call in vain. */
  readonly tries: Tries;
  /** The same in all its reasoning: blocks may be many and short. */
  readonly triesInReasoning: Tries;
  /** The model invented a result: the rest of the answer is not parsed. */
  ignoring = false;
  /** Calls that may yet turn out to be text. */
  held: HeldCalls | undefined;
  /** Where such calls turned out to be text. */
  textAt = -1;
  /** How the answer is read from there on if they do. */
  private readAsText: ParserState | undefined;

  constructor(
    public output: ParserOutput,
    readonly options: TextParserOptions,
    readonly part: TextPart | undefined,
    /** Makes a parser for a part of the text. */
    readonly partParser: (output: ParserOutput, part: TextPart) => PartParser,
    /** Another state that stands in the same text. */
    other?: ParserState,
  ) {
    this.scan = other?.scan ?? scannerFor(part);
    this.tries = other?.tries ?? part?.tries ?? new Tries(this.scan.base);
    this.triesInReasoning = other?.triesInReasoning ?? new Tries(this.scan.base);
    this.markers = other?.markers ?? markersFor(options);
    this.text = new HeldText(this);
  }

  /** In code nothing counts. */
  get inCode(): boolean {
    return this.inlineCode > 0 || this.fence > 0;
  }

  /** A call begins at the mark that counts only if no prose follows: what is read from now on waits. */
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

  /** What was held is text: another state, that stands before it. Undefined: nothing is held. */
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

  /** A fence in a code block: it opens one inside, or closes the last that was opened. */
  passFence(opens: boolean): void {
    if (opens) this.fencesInside++;
    else if (this.fencesInside > 0) this.fencesInside--;
    else this.fence = 0;
  }

  /** The markers that stand here at this position, the longest first. Waits no longer than a longer one may come. */
  *markersAhead(position: MarkerPosition): Step<readonly Marker[]> {
    const { scan, markers } = this;
    for (;;) {
      const found = markers.at(scan.text, scan.at, position, scan.ended);
      if (found) return found;
      yield* scan.more();
    }
  }

  /** Takes so many characters. */
  take(length: number): string {
    const { scan } = this;
    const text = scan.text.slice(scan.at, scan.at + length);
    scan.at += length;
    return text;
  }

  /** Takes as text what stands before this index; how it leaves the state has been noted. */
  emitTo(to: number): void {
    const { scan, text } = this;
    const from = scan.at;
    if (to === from) return;
    scan.at = to;
    const piece = from === 0 && to === scan.text.length ? scan.text : scan.text.slice(from, to);
    this.remember(piece);
    text.emit(piece);
  }

  /** Takes so many characters as text. */
  emitNext(length: number): void {
    const text = this.take(length);
    if (text.trim() !== '') this.passVisible();
    this.remember(text);
    this.text.emit(text);
  }

  /** This text was passed. */
  remember(text: string): void {
    if (text.length >= mostRecent) this.recent = text.slice(-mostRecent);
    else {
      this.recent += text;
      if (this.recent.length > 2 * mostRecent) this.recent = this.recent.slice(-mostRecent);
    }
  }

  /** A call was passed: what comes next stands behind nothing else. */
  forgetText(): void {
    this.recent = '';
  }

  /** Puts out text that was taken for something else. */
  emitWhole(text: string): void {
    if (text.trim() !== '') {
      this.answerStart = false;
      this.behindProse = true;
    }
    this.lineStart = /\n\s*$/.test(text.slice(-256));
    this.text.release();
    this.output.emitText(text);
  }

  /** A character that is seen was passed. */
  passVisible(): void {
    this.lineStart = false;
    this.answerStart = false;
    this.behindProse = true;
  }

  /** What comes next begins a line. */
  beginLine(): void {
    this.lineStart = true;
    this.indentation = 0;
    this.quoted = false;
    this.isChange = false;
    this.line++;
    this.inlineCode = 0;
    if (this.exampleEndsWithLine) this.example = undefined;
  }

  /** White space of this code was passed. */
  passIndentation(code: number): void {
    if (code === newline) this.beginLine();
    else if (this.lineStart) this.indentation += code === tab ? tabColumns : 1;
  }

  /** The line's first character that is seen, of this code, is passed. */
  beginText(code: number): void {
    this.quoted = code === greaterThan || code === bar;
    this.isChange = code === plus || code === minus;
  }

  /** Words directly before the position, on its line, introduce an example. */
  get isIntroduced(): boolean {
    return beginsExample.test(this.recent.slice(-40));
  }

  /** Nothing but the beginning of a list's item stands before the position on its line. */
  get beginsItem(): boolean {
    return beginsItem.test(this.recent.slice(-64));
  }

  /** The line is one that a diff adds or takes away. */
  get isInDiff(): boolean {
    if (!this.isChange) return false;
    if (this.askedLine !== this.line) {
      this.askedInDiff = this.endsInDiff();
      this.askedLine = this.line;
    }
    return this.askedInDiff;
  }

  /** True if only lines of a diff stand between its head and the position. Goes back no further than to the line of which it was asked before. */
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

  /** The last character before a marker opens a quotation in a sentence. */
  get isQuotedInLine(): boolean {
    const { recent } = this;
    return recent !== '' && '"\'“‘«「('.includes(recent[recent.length - 1] as string);
  }

  /** The line is one of a code block without fences, of a quotation or a table, as Markdown has it, or stands in an element for code: what stands there is shown. */
  get isShown(): boolean {
    return this.quoted || this.indentation >= tabColumns || this.example !== undefined;
  }

  /** Takes white space that only sets things apart. */
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

  /** White space was taken that only sets things apart. */
  passWhitespace(space: string): void {
    this.output.emitWhitespace(space);
    this.beginLine();
    for (let at = space.lastIndexOf('\n') + 1; at < space.length; at++) this.passIndentation(space.charCodeAt(at));
  }
}
