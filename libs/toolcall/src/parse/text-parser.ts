import type { Range, ToolTable } from '@callsmith/turn';
import type { Dialect, ReasoningBlock, ResultMarker } from '../dialect.ts';
import { unescapeMarkup } from '../escape.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { type CallObserver, type PendingCall, unobserved } from '../finalize/pending-call.ts';
import { findPattern, wordPattern } from '../find.ts';
import { isBlank, isBlankCode, ParseFailure, Scanner, type Step } from '../scanner.ts';
import { Candidate } from './candidate.ts';
import type { Marker, MarkerRole, MarkerSet } from './marker-set.ts';
import { markersFor } from './markers-for.ts';

/** Where the reader says what it read. */
export interface ParserOutput {
  emitText(text: string): void;
  /** White space between calls and text. */
  emitWhitespace(space: string): void;
  emitReasoning(text: string): void;
  openCall(said: string): PendingCall;
  /** A call that is not yet part of the answer. */
  openSpeculative(said: string, watch: CallObserver): PendingCall;
  commit(calls: readonly PendingCall[]): void;
  /** A remark on no call in particular. */
  note(detail: string, range: Range): void;
}

/** What the reader listens for. */
export interface TextParserOptions {
  readonly tools: ToolTable;
  /** The model's own dialect; undefined: `auto`. */
  readonly own: Dialect | undefined;
  readonly dialects: readonly Dialect[];
  /** The answer begins inside reasoning, as the prompt's template opened it. */
  readonly prefilled: boolean;
}

/** Set where a part of the text is read for calls that wait outside the answer. */
export interface TextPart {
  /** Where the part begins in the choice's raw text. */
  readonly from: number;
}

const newline = 10;
const backtick = 96;

/** Reads calls and reasoning out of one choice's text. Give it text with `push`, then `end` it. */
export class TextParser {
  private readonly scan = new Scanner();
  private readonly markers: MarkerSet;
  private readonly steps: Step<void>;
  private finished = false;
  private lineStart = true;
  private answerStart = true;
  /** Backticks that opened inline code on this line; 0 outside. */
  private code = 0;
  /** Backticks that opened the code block we are in; 0 outside. */
  private fence = 0;
  private calls = 0;
  private hasReasoning = false;
  /** Text behind an invented result is not heard. */
  private ignoring = false;
  /** The grammar waits between two words. */
  private idle = false;
  /** Text that waits for what follows: frames, which go if a call comes next, and turn-end tokens, which go at the end too. */
  private held = '';
  /** Where, in what is held, nothing but turn-end tokens and white space follows. */
  private tokensAt = 0;
  /** Where the first of these tokens stands. */
  private tokensFrom = 0;
  /** The offset behind a call and white space; -1 before there is one. */
  private behindCall = -1;
  /** The dialect of the last call. */
  private lastDialect: Dialect | undefined;

  constructor(
    private readonly output: ParserOutput,
    private readonly options: TextParserOptions,
    private readonly part?: TextPart,
  ) {
    if (part) this.scan.base = part.from;
    this.markers = markersFor(options);
    this.steps = this.run();
  }

  push(text: string): void {
    if (this.finished || this.ignoring) return;
    if (this.idle) {
      this.scan.append(text);
      if (this.emitPlainText()) this.step();
      return;
    }
    if (this.scan.push(text)) this.step();
  }

  /** As `push`, for ASCII text in the middle of a line in which nothing can begin; false where there is more to it, and nothing is done. */
  pushPlain(text: string): boolean {
    const { scan, markers } = this;
    if (!this.idle || this.finished || this.ignoring || this.lineStart || scan.at < scan.text.length) return false;
    const { stopPattern } = markers;
    stopPattern.lastIndex = 0;
    while (stopPattern.test(text)) {
      const at = stopPattern.lastIndex - 1;
      const code = text.charCodeAt(at);
      if (code === newline || code === backtick) return false;
      if (!this.inCode && markers.beginsAt(text, at, 'anywhere') !== 'no') return false;
    }
    scan.append(text);
    scan.at = text.length;
    this.emit(text);
    return true;
  }

  /** The text has ended; `cut` if it was not the model that stopped. */
  end(cut = false): void {
    if (this.finished) return;
    this.scan.end(cut);
    this.step();
  }

  private step(): void {
    this.finished = this.steps.next().done === true;
  }

  private *run(): Step<void> {
    if (this.options.prefilled) {
      yield* this.parseReasoning(this.defaultBlock());
    } else {
      yield* this.scan.peek();
    }
    for (;;) {
      if (this.ignoring) return;
      if (this.emitPlainText()) {
        yield* this.next();
        continue;
      }
      this.idle = true;
      const more = yield* this.scan.more();
      this.idle = false;
      if (!more) break;
    }
    this.endHeld();
  }

  private defaultBlock(): ReasoningBlock {
    return this.options.own?.reasoning?.[0] ?? thinkBlock;
  }

  /**
   * Says text up to where a word begins or backticks stand whose run has not ended, at one go; false if nothing more
   * can be done before more text has come.
   */
  private emitPlainText(): boolean {
    const { scan, markers } = this;
    const { text } = scan;
    const { stopCodes } = markers;
    const from = scan.at;
    let at = from;
    for (; at < text.length; at++) {
      let code = text.charCodeAt(at);
      if (!this.lineStart) {
        while (stopCodes[code & 255] === 0 && ++at < text.length) code = text.charCodeAt(at);
        if (at === text.length) break;
      }
      if (code === newline) {
        this.lineStart = true;
        this.code = 0;
        while (at + 1 < text.length && isBlankCode(text.charCodeAt(at + 1))) this.passBlank(text.charCodeAt(++at));
        continue;
      }
      if (code === backtick) {
        const run = this.inlineRun(at);
        if (run === 0) break;
        this.noteBackticks(run);
        at += run - 1;
        continue;
      }
      const blank = isBlankCode(code);
      if (!this.inCode) {
        if (this.lineStart && !blank && this.answerStart) break;
        const begins = markers.beginsAt(text, at, this.lineStart && !blank ? 'line' : 'anywhere');
        if (begins === 'open' && !scan.ended) {
          this.emitUpTo(from, at);
          return false;
        }
        if (begins !== 'no') break;
      }
      if (blank) {
        this.passBlank(code);
        continue;
      }
      this.lineStart = false;
      this.answerStart = false;
    }
    this.emitUpTo(from, at);
    return at < text.length;
  }

  /** White space was said; a character that is not seen but is no white space ends the line's start. */
  private passBlank(code: number): void {
    if (code === newline) this.lineStart = true;
    if (code !== 0x2060 && (code < 0x200b || code > 0x200d)) return;
    this.lineStart = false;
    this.answerStart = false;
  }

  private emitUpTo(from: number, to: number): void {
    if (to === from) return;
    const { scan } = this;
    scan.at = to;
    this.emit(from === 0 && to === scan.text.length ? scan.text : scan.text.slice(from, to));
  }

  /** How many backticks stand here, if they begin no block and their end has come; else 0. */
  private inlineRun(at: number): number {
    const { text } = this.scan;
    let end = at + 1;
    while (end < text.length && end - at < 64 && text.charCodeAt(end) === backtick) end++;
    if (end >= text.length || (this.lineStart && (this.answerStart || end - at >= 3))) return 0;
    if (this.lineStart && !this.inCode && this.markers.beginsAt(text, at, 'line') !== 'no') return 0;
    return end - at;
  }

  /** A run of backticks in a line: inline code begins or ends, unless we are in a block. */
  private noteBackticks(run: number): void {
    this.lineStart = false;
    this.answerStart = false;
    if (this.fence > 0) return;
    if (this.code === 0) this.code = run;
    else if (this.code === run) this.code = 0;
  }

  /** Takes what a word may begin, or backticks. */
  private *next(): Step<void> {
    const { scan, markers } = this;
    const char = scan.text[scan.at] as string;
    if (this.lineStart && !isBlank(char)) return yield* this.atLine();
    if (char === '`') return yield* this.backticks();
    if (yield* this.tryMarkers(markers.at(scan.text, scan.at, 'anywhere'))) return;
    if (this.calls > 0 && this.closerCutOff()) return;
    this.emitNext(1);
  }

  /** "…</tool_c" at the end of the text, behind a call: what is there of a closing marker is left out. */
  private closerCutOff(): boolean {
    const { scan } = this;
    const rest = scan.text.slice(scan.at, scan.at + 64);
    if (!scan.ended || scan.text.length - scan.at > 63 || rest === ']') return false;
    if (!this.markers.closers.some((word) => word.startsWith(rest))) return false;
    scan.at = scan.text.length;
    return true;
  }

  /** In code nothing is heard. */
  private get inCode(): boolean {
    return this.code > 0 || this.fence > 0;
  }

  private *atLine(): Step<void> {
    const { scan } = this;
    if (!this.inCode) {
      const place = this.answerStart ? 'answer' : 'line';
      if (yield* this.tryMarkers(this.markers.at(scan.text, scan.at, place))) return;
      if (yield* this.tryMarkers(this.markers.withoutText(place))) return;
    }
    if (scan.text[scan.at] === '`') {
      const run = yield* scan.ahead(3);
      if (run === '```') return yield* this.atFence();
    }
    this.lineStart = false;
    if (scan.text[scan.at] === '`') return yield* this.backticks();
    this.emitNext(1);
  }

  private *backticks(): Step<void> {
    const { scan } = this;
    let run = 1;
    while ((yield* scan.ahead(run + 1)).endsWith('`') && scan.text.length - scan.at > run && run < 64) run++;
    this.noteBackticks(run);
    this.emitNext(run);
  }

  /** A line that begins with three backticks: a block opens or closes, or a fence stands directly round a call. */
  private *atFence(): Step<void> {
    const { scan } = this;
    let run = 3;
    while ((yield* scan.ahead(run + 1)).length > run && scan.text[scan.at + run] === '`' && run < 64) run++;
    if (this.fence > 0) {
      if (run >= this.fence) this.fence = 0;
      this.lineStart = false;
      this.emitNext(run);
      return;
    }
    if (yield* this.fencedCalls(run)) return;
    this.fence = run;
    this.lineStart = false;
    this.emitNext(run);
  }

  /** Fences directly round calls count if nothing but white space follows (D-9); else all of it is text. */
  private *fencedCalls(run: number): Step<boolean> {
    const { scan } = this;
    const close = '`'.repeat(run);
    const calls: PendingCall[] = [];
    const from = scan.offset;
    scan.mark();
    let inside = false;
    for (;;) {
      yield* scan.space();
      const next = yield* scan.peek();
      if (next === '' && calls.length > 0) break;
      if (next !== '' && (yield* scan.takeText(close))) {
        if (!inside) yield* scan.run(/[^\n`]/, 40);
        inside = !inside;
        continue;
      }
      const before = calls.length;
      if (!inside || !(yield* this.parseSpeculativeCall(calls)) || calls.length === before) {
        if (calls.length === 0) {
          scan.rewind();
          scan.unmark();
          return false;
        }
        this.fence = inside ? run : 0;
        this.emitWhole(scan.since());
        scan.unmark();
        return true;
      }
    }
    scan.unmark();
    for (const call of calls) call.repair('strip-fence', from, scan.endWithoutBlanks);
    this.calls += calls.length;
    this.dropHeld();
    this.output.commit(calls);
    return true;
  }

  /** Reads a call that is not yet part of the answer. */
  private *parseSpeculativeCall(calls: PendingCall[]): Step<boolean> {
    const { scan } = this;
    const from = scan.offset;
    const char = yield* scan.peek();
    const words = this.answerStart
      ? [...this.markers.startingWith(char, 'answer'), ...this.markers.startingWith(char, 'fence')]
      : this.markers.startingWith(char, 'fence');
    for (const word of words) {
      if (!(yield* scan.isAhead(word.text))) continue;
      for (const meaning of word.roles) {
        if (meaning.kind !== 'call') continue;
        scan.at += word.text.length;
        const candidate = this.candidate(meaning, from, (said) => this.output.openSpeculative(said, unobserved));
        if (meaning.dialect.matches && !(yield* meaning.dialect.matches(scan, candidate))) {
          scan.back(word.text.length);
          continue;
        }
        try {
          yield* meaning.dialect.parse(scan, candidate);
        } catch (error) {
          if (!(error instanceof ParseFailure)) throw error;
          return false;
        }
        candidate.end();
        for (const call of candidate.calls) if (call.state === 'closed' && call.tool !== undefined) calls.push(call);
        return true;
      }
    }
    return false;
  }

  private candidate(
    meaning: MarkerRole & { kind: 'call' },
    from: number,
    open: (said: string) => PendingCall,
  ): Candidate {
    return new Candidate(
      meaning.dialect,
      meaning.opener,
      meaning.own,
      meaning.foreign,
      this.options.tools,
      open,
      from,
      this.scan,
    );
  }

  /** Tries the words that may begin here; true if one was taken. */
  private *tryMarkers(words: readonly Marker[]): Step<boolean> {
    const { scan } = this;
    for (const word of words) {
      if (!scan.mayBeAhead(word.text) || !(yield* scan.isAhead(word.text))) continue;
      for (const meaning of word.roles) if (yield* this.take(word, meaning)) return true;
    }
    return false;
  }

  private *take(word: Marker, meaning: MarkerRole): Step<boolean> {
    const { scan } = this;
    const length = word.text.length;
    switch (meaning.kind) {
      case 'call':
        return yield* this.parseCall(meaning, length);
      case 'escaped-call':
        return yield* this.parseEscapedCall(word.text);
      case 'reasoning':
        scan.at += length;
        yield* this.parseReasoning(meaning.block);
        return true;
      case 'reasoning-close':
        return yield* this.loneClose(length);
      case 'frame':
        if (meaning.besideCall && scan.offset !== this.behindCall) {
          this.held += this.takeText(length);
          this.tokensAt = this.held.length;
          return true;
        }
        yield* this.leaveOut(length);
        return true;
      case 'stray-close':
        if (this.calls === 0 || (meaning.directly && scan.offset !== this.behindCall)) return false;
        if (word.text.startsWith('`') && !(yield* this.endsBehind(length))) return false;
        yield* this.leaveOut(length);
        return true;
      case 'turn-end':
        if (this.tokensAt === this.held.length) this.tokensFrom = scan.offset;
        this.held += this.takeText(length);
        return true;
      case 'result':
        return yield* this.dropResult(meaning.marker);
    }
  }

  /** A marker that says nothing goes, and the white space behind it. */
  private *leaveOut(length: number): Step<void> {
    const dialect = this.scan.offset === this.behindCall ? this.lastDialect : undefined;
    this.scan.at += length;
    if (dialect) yield* this.goOnBehindCall(dialect);
    else yield* this.skipWhitespace();
  }

  /** True if nothing but white space follows the marker that stands here. */
  private *endsBehind(length: number): Step<boolean> {
    const { scan } = this;
    scan.mark();
    scan.at += length;
    yield* scan.space();
    const ends = (yield* scan.peek()) === '';
    scan.rewind();
    scan.unmark();
    return ends;
  }

  /** A call has been read: what follows stands behind it, and may be a result that the model invents. */
  private *goOnBehindCall(dialect: Dialect): Step<void> {
    const { scan } = this;
    this.answerStart = false;
    this.lastDialect = dialect;
    yield* this.skipWhitespace();
    this.behindCall = scan.offset;
    for (const marker of dialect.resultMarkers)
      if ((yield* scan.isAhead(marker.text)) && (yield* this.dropResult(marker))) return;
  }

  /** Drops a result that begins here, with all that follows; false where there was no call yet, or it is prose. */
  private *dropResult({ text, behind }: ResultMarker): Step<boolean> {
    const { scan } = this;
    if (this.calls === 0) return false;
    if (behind && !behind.test((yield* scan.ahead(text.length + 160)).slice(text.length))) return false;
    this.output.note('drop-invented-result', [scan.offset, scan.offset + text.length]);
    this.ignoring = true;
    return true;
  }

  /** Reads calls from an opener on; false if it is none of this dialect's, and then nothing was taken. */
  private *parseCall(meaning: MarkerRole & { kind: 'call' }, length: number): Step<boolean> {
    const { scan } = this;
    const from = scan.offset;
    const candidate = this.candidate(meaning, from, (said) => {
      this.dropHeld();
      this.calls++;
      return this.output.openCall(said);
    });
    const { dialect } = meaning;
    scan.mark();
    scan.at += length;
    if (dialect.matches && !(yield* dialect.matches(scan, candidate))) {
      scan.rewind();
      scan.unmark();
      return false;
    }
    try {
      const found = yield* dialect.parse(scan, candidate);
      if (candidate.calls.length === 0 && (!found || (found === 'frame' && this.options.own && !meaning.own)))
        throw new ParseFailure('not-a-call');
      scan.unmark();
      candidate.end();
      if (candidate.calls.length > 0) yield* this.goOnBehindCall(dialect);
      if (found && found !== 'frame') yield* this.parseReasoning(found);
      this.lineStart = true;
      return true;
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      return yield* this.abandon(error, candidate, length);
    }
  }

  /** The grammar cannot go on: what it opened fails; if it opened nothing, it was text. */
  private *abandon(error: ParseFailure, candidate: Candidate, length: number): Step<boolean> {
    const { scan } = this;
    const call = candidate.current;
    if (error.reason === 'cut' && scan.ended) scan.at = scan.text.length;
    if (call) {
      const cut = error.reason === 'cut';
      const raw = call.streaming ? '' : scan.since();
      call.fail({
        class: cut ? 'Truncated' : 'InvalidJson',
        detail: cut ? 'the text ended inside the call' : 'the call cannot be read',
        message: raw,
      });
    }
    if (candidate.calls.length > 0) {
      if (call && error.reason === 'broken') yield* this.skipBroken();
      scan.unmark();
      candidate.end();
      yield* this.goOnBehindCall(candidate.dialect);
      return true;
    }
    const raw = scan.since();
    if (error.reason === 'cut' && isMarked(candidate)) {
      scan.unmark();
      this.calls++;
      const cutCall = this.output.openCall('');
      cutCall.fail({ class: 'Truncated', detail: 'the text ended inside the call', message: raw });
      cutCall.setRange(candidate.from, scan.endWithoutBlanks);
      return true;
    }
    if (raw.length - length <= 256 && length > 0) {
      scan.rewind();
      scan.unmark();
      return false;
    }
    scan.unmark();
    if (error.reason !== 'not-a-call') this.output.note('released', [candidate.from, scan.offset]);
    this.emitWhole(raw);
    return true;
  }

  /** What is left of a call that cannot be read goes with it, if its closing marker is near. */
  private *skipBroken(): Step<void> {
    const { scan } = this;
    scan.mark();
    const { closers, closersPattern } = this.markers;
    if (yield* findPattern(scan, new RegExp(closersPattern, 'g'), 64, 4096)) {
      while (yield* scan.oneOf(closers)) yield* scan.space();
    } else {
      scan.rewind();
    }
  }

  /** A call whose very markers are HTML-escaped is unescaped once, as a whole. */
  private *parseEscapedCall(opener: string): Step<boolean> {
    const { scan } = this;
    const from = scan.offset;
    const closer = opener.replace('&lt;', '&lt;/');
    scan.mark();
    scan.at += opener.length;
    let searched = scan.offset;
    for (;;) {
      const end = scan.text.indexOf(closer, Math.max(0, searched - scan.base));
      if (end >= 0) {
        scan.at = end + closer.length;
        break;
      }
      searched = Math.max(searched, scan.base + scan.text.length - closer.length);
      scan.at = Math.max(scan.at, Math.min(scan.text.length, searched - scan.base));
      if (!(yield* scan.more())) {
        scan.at = scan.text.length;
        break;
      }
    }
    const raw = scan.since();
    scan.unmark();
    const calls: PendingCall[] = [];
    const inner = new TextParser(
      collect(this.output, calls, () => {}),
      { ...this.options, prefilled: false },
      { from },
    );
    inner.push(unescapeMarkup(raw));
    inner.end();
    const whole = calls.filter((call) => call.state === 'closed' && call.tool !== undefined);
    if (whole.length === 0) {
      this.emitWhole(raw);
      return true;
    }
    for (const call of whole) {
      call.repairWhole('unescape-markup');
      call.setRangeOfWhole([from, scan.offset]);
    }
    this.calls += whole.length;
    this.answerStart = false;
    this.dropHeld();
    this.output.commit(whole);
    yield* this.skipWhitespace();
    return true;
  }

  /** "…</think>" although nothing opened it: the prompt did. The tag is left out where it stands as a tag. */
  private *loneClose(length: number): Step<boolean> {
    const { scan } = this;
    if (this.hasReasoning) return false;
    const behind = (yield* scan.ahead(length + 1)).slice(length);
    if (!this.lineStart && behind !== '' && behind !== '\n' && behind !== '<' && behind !== '\r') return false;
    this.hasReasoning = true;
    scan.at += length;
    this.output.note('lone-reasoning-close', [scan.offset - length, scan.offset]);
    yield* this.skipWhitespace();
    return true;
  }

  /** Says what the model thinks, up to the block's end; a call in it is read beside, and counts only if the block never closes (D-10). */
  private *parseReasoning(block: ReasoningBlock): Step<void> {
    const { scan, output } = this;
    this.hasReasoning = true;
    const beside = this.part ? undefined : new SpeculativeParser(output, this.options, this.scan.offset);
    const closes = [...block.closes, ...(block.endsBefore ?? [])];
    const longest = Math.max(...closes.map((word) => word.length));
    const pattern = new RegExp(wordPattern(closes), 'g');
    for (;;) {
      const { text } = scan;
      pattern.lastIndex = scan.at;
      const match = pattern.exec(text);
      const found = match ? match.index : -1;
      const close = match?.[0] ?? '';
      const stop =
        found >= 0
          ? found
          : scan.ended
            ? text.length
            : Math.max(scan.at, text.length - held(text, scan.at, closes, longest));
      const piece = text.slice(scan.at, stop);
      scan.at = stop;
      if (piece !== '') {
        output.emitReasoning(piece);
        beside?.reader.push(piece);
      }
      if (found >= 0) {
        if (block.closes.includes(close)) scan.at += close.length;
        yield* this.skipWhitespace();
        this.lineStart = true;
        return;
      }
      if (!(yield* scan.more())) {
        if (beside) this.calls += beside.finish(scan.cut);
        return;
      }
    }
  }

  /** Takes white space that is layout. */
  private *skipWhitespace(): Step<void> {
    const { scan } = this;
    const pieces: string[] = [];
    for (;;) {
      const from = scan.at;
      while (scan.at < scan.text.length && isBlank(scan.text[scan.at] as string)) scan.at++;
      pieces.push(scan.text.slice(from, scan.at));
      if (scan.at < scan.text.length || !(yield* scan.more())) break;
    }
    this.output.emitWhitespace(pieces.join(''));
    this.lineStart = true;
    this.code = 0;
  }

  private takeText(length: number): string {
    const { scan } = this;
    const text = scan.text.slice(scan.at, scan.at + length);
    scan.at += length;
    return text;
  }

  private emitNext(length: number): void {
    const text = this.takeText(length);
    if (text.trim() !== '') {
      this.lineStart = false;
      this.answerStart = false;
    }
    this.emit(text);
  }

  private emit(text: string): void {
    if (this.held !== '') {
      if (text.trim() === '') {
        this.held += text;
        if (this.tokensAt === this.held.length - text.length) this.tokensAt = this.held.length;
        return;
      }
      this.releaseHeld();
    }
    this.output.emitText(text);
  }

  private emitWhole(text: string): void {
    if (text.trim() !== '') this.answerStart = false;
    this.lineStart = /\n\s*$/.test(text.slice(-256));
    this.releaseHeld();
    this.output.emitText(text);
  }

  /** The text goes on: what was held is part of it. */
  private releaseHeld(): void {
    if (this.held !== '') this.output.emitText(this.held);
    this.held = '';
    this.tokensAt = 0;
  }

  /** A call comes, or the end: turn-end tokens are left out, and frames beside a call. */
  private dropHeld(): void {
    const tokens = this.held.slice(this.tokensAt).trimEnd();
    if (tokens !== '') this.output.note('drop-turn-token', [this.tokensFrom, this.tokensFrom + tokens.length]);
    this.held = '';
    this.tokensAt = 0;
  }

  /** No call came behind the frames that are held: they are text. */
  private endHeld(): void {
    const { held, tokensAt } = this;
    if (tokensAt > 0) this.output.emitText(held.slice(0, tokensAt));
    this.dropHeld();
  }
}

/** A marker stood there that begins nothing else. */
const isMarked = ({ dialect, opener }: Candidate): boolean =>
  !dialect.ambiguous && !opener.ambiguous && opener.text !== '' && opener.rule !== 'restore-markers';

/** How many characters at the end of `text` could still become one of the words. */
function held(text: string, from: number, words: readonly string[], longest: number): number {
  for (let length = Math.min(longest - 1, text.length - from); length > 0; length--) {
    const tail = text.slice(text.length - length);
    if (words.some((word) => word.length > length && word.startsWith(tail))) return length;
  }
  return 0;
}

/** Collects calls outside of the answer; `said` hears the text round them. */
const collect = (to: ParserOutput, calls: PendingCall[], said: (text: string) => void): ParserOutput => ({
  emitText: said,
  emitWhitespace: () => {},
  emitReasoning: () => {},
  openCall: (name) => {
    const call = to.openSpeculative(name, unobserved);
    calls.push(call);
    return call;
  },
  openSpeculative: (name, watch) => to.openSpeculative(name, watch),
  commit: (more) => {
    for (const call of more) calls.push(call);
  },
  note: () => {},
});

/**
 * Reads reasoning for calls, which count only if the reasoning is never closed and nothing but calls follows them.
 * `from`: where it begins in the choice's raw text; undefined: it is no part of that.
 */
export class SpeculativeParser {
  readonly reader: TextParser;
  private readonly calls: PendingCall[] = [];

  constructor(
    private readonly to: ParserOutput,
    listening: TextParserOptions,
    private readonly from: number | undefined,
  ) {
    const said = (text: string): void => {
      if (text.trim() !== '') this.calls.length = 0;
    };
    this.reader = new TextParser(
      collect(to, this.calls, said),
      { ...listening, prefilled: false },
      { from: from ?? 0 },
    );
  }

  /** The reasoning never closed: its last calls are part of the answer. Answers with how many. */
  finish(cut: boolean): number {
    this.reader.end(cut);
    const whole = this.calls.filter((call) => call.state === 'closed' && call.tool !== undefined);
    if (whole.length < this.calls.length || whole.length === 0) return 0;
    for (const call of whole) {
      if (this.from === undefined) call.setRangeOfWhole(undefined);
      call.repairWhole('end-reasoning');
    }
    this.to.commit(whole);
    return whole.length;
  }
}
