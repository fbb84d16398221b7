import { isBlank, type Step, unsure } from '../scanner.ts';
import { dropCutCloser, dropResult, dropStrayClose, skipText } from './behind-call.ts';
import { isProse, isRuledOut, parseCall } from './calls.ts';
import { parseFence, parseInlineBackticks } from './code.ts';
import { parseEscapedCall } from './escaped-call.ts';
import { proseFollows } from './held-calls.ts';
import { beginsCall, isOpener, type Marker, type MarkerRole } from './marker-set.ts';
import { callLimitReached, type ParserOutput } from './parser-output.ts';
import { ParserState, type PartParser } from './parser-state.ts';
import { passExampleTag } from './pass-marker.ts';
import { PieceJoiner } from './piece-joiner.ts';
import { emitPlainText, isPlain } from './plain-text.ts';
import { dropLoneClose, parseReasoning, promptBlock } from './reasoning.ts';
import type { TextParserOptions, TextPart } from './text-parser-options.ts';

/**
 * Parses calls and reasoning out of one choice's text. Pass text to `push`, then call `end`.
 *
 *     <think>Hm.</think>I will look.\n<tool_call>{…}</tool_call><|im_end|>
 *     reasoning         plain text   call                       dropped
 */
export class TextParser implements PartParser {
  private state: ParserState;
  private steps: Step<void>;
  private readonly joiner = new PieceJoiner();
  private finished = false;
  /** Waits for text between markers, with all text consumed; never if it has finished or ignores the rest. */
  private idle = false;

  constructor(output: ParserOutput, options: TextParserOptions, part?: TextPart) {
    this.state = new ParserState(output, options, part, partParser(options));
    this.steps = this.run();
  }

  push(piece: string): void {
    const { scan, part } = this.state;
    const text = this.joiner.join(piece, scan.base + scan.text.length - (part?.from ?? 0));
    if (text !== '') this.parseNext(text);
  }

  /** Parses the pieces that still wait for more text. */
  catchUp(): void {
    const rest = this.joiner.rest();
    if (rest !== '') this.parseNext(rest);
  }

  private parseNext(text: string): void {
    const { state } = this;
    if (this.finished || state.ignoring) return;
    if (state.held ? this.pushHeld(text) : this.pushNext(text)) this.step();
    else if (state.scan.at < state.scan.text.length) this.joiner.count();
  }

  /** Passes text on; true if the grammar must resume. */
  private pushNext(text: string): boolean {
    const { state } = this;
    if (!this.idle) return state.scan.push(text);
    state.scan.append(text);
    return emitPlainText(state);
  }

  /**
   * Like `push`, for ASCII text in the middle of a line in which nothing can begin; false, with nothing consumed, for
   * any other.
   */
  pushPlain(text: string): boolean {
    const { state } = this;
    const { scan } = state;
    if (!this.idle || state.held || state.lineStart || this.joiner.holds || scan.at < scan.text.length) return false;
    if (!isPlain(state, text)) return false;
    scan.append(text);
    scan.at = text.length;
    state.remember(text);
    state.text.emit(text);
    return true;
  }

  /** The text has ended; `cut` if it was not the model that stopped. */
  end(cut = false): void {
    this.catchUp();
    if (this.finished) return;
    this.state.scan.end(cut);
    this.step();
  }

  private step(): void {
    this.joiner.count();
    for (;;) {
      try {
        this.finished = this.steps.next().done === true;
        if (this.finished) this.state.held?.accept();
        return;
      } catch (error) {
        if (error === callLimitReached) {
          this.stop();
          return;
        }
        this.readAsText(error);
      }
    }
  }

  /** Stops parsing; held calls count if they may. */
  private stop(): void {
    this.finished = true;
    try {
      this.state.held?.accept();
    } catch (error) {
      if (error !== proseFollows) throw error;
    }
  }

  /** The same while calls are held: a value may become too long to hold. */
  private pushHeld(text: string): boolean {
    try {
      const resumes = this.state.scan.push(text);
      this.state.held?.checkLength();
      return resumes;
    } catch (error) {
      this.readAsText(error);
      return true;
    }
  }

  /** Continues with the held calls as text. Rethrows any other error. */
  private readAsText(error: unknown): void {
    if (error !== proseFollows) throw error;
    this.steps.return();
    const asText = this.state.releaseCalls();
    if (!asText) throw error;
    this.state = asText;
    this.steps = this.parse();
  }

  private *run(): Step<void> {
    const { state } = this;
    if (state.options.prefilled) yield* parseReasoning(state, promptBlock(state));
    else yield* state.scan.peek();
    yield* this.parse();
  }

  private *parse(): Step<void> {
    const { state } = this;
    for (;;) {
      if (state.ignoring) return;
      if (emitPlainText(state)) {
        yield* this.next();
        continue;
      }
      this.idle = true;
      const more = yield* state.scan.more();
      this.idle = false;
      if (!more) break;
    }
    state.text.end();
  }

  /** Parses what a marker or backticks may begin. */
  private *next(): Step<void> {
    const { state } = this;
    const { scan } = state;
    const char = scan.text[scan.at] as string;
    if (state.lineStart && !isBlank(char)) return yield* this.atLineStart();
    if (char === '`') return yield* parseInlineBackticks(state);
    const found = yield* state.markersAhead('anywhere');
    if (this.isWorthTrying(found) && (yield* this.tryMarkers(found))) return;
    if (!dropCutCloser(state)) state.emitNext(1);
  }

  private *atLineStart(): Step<void> {
    const { state } = this;
    const { scan, markers } = state;
    if (!state.inCode) {
      const position = state.answerStart ? 'answer' : 'line';
      const found = yield* state.markersAhead(position);
      if (this.isWorthTrying(found) && (yield* this.tryMarkers(found))) return;
      const textless = this.isAtTwoWords() ? [] : markers.withoutText(position);
      if (this.isWorthTrying(textless) && (yield* this.tryMarkers(textless))) return;
      if (scan.offset === state.behindCall && dropCutCloser(state)) return;
    }
    const char = scan.text[scan.at] as string;
    if ((char === '`' || char === '~') && (yield* scan.isAhead(char.repeat(3)))) return yield* parseFence(state);
    state.beginText(char.charCodeAt(0));
    state.lineStart = false;
    if (char === '`') return yield* parseInlineBackticks(state);
    state.emitNext(1);
  }

  /** "I will": without a marker a call begins with its tool's name, which no second word follows. */
  private isAtTwoWords(): boolean {
    const { scan } = this.state;
    twoWords.lastIndex = scan.at;
    return twoWords.test(scan.text);
  }

  /** False if no marker may be tried any more. */
  private isWorthTrying(markers: readonly Marker[]): boolean {
    const { tries, scan } = this.state;
    if (markers.length === 0 || tries.mayTry(scan.offset)) return markers.length > 0;
    return markers.some(({ roles }) => !roles.every(beginsCall));
  }

  /** Tries the markers here; true if one was consumed. */
  private *tryMarkers(markers: readonly Marker[]): Step<boolean> {
    const { scan, tries, part } = this.state;
    for (const marker of markers) {
      const mayTry = tries.mayTry(scan.offset);
      let tried = 0;
      for (const role of marker.roles) {
        const isTry = beginsCall(role);
        if (isTry && !mayTry) continue;
        const ruledOut = isProse(this.state, role) || isRuledOut(this.state, scan.at, role, marker.text.length);
        const taken = !ruledOut && (yield* this.take(marker, role));
        if (isTry && (tried === 0 || !ruledOut)) tried++;
        if (!taken) continue;
        // Calls of the answer itself are counted where they are emitted.
        if (part) tries.count(tried);
        return true;
      }
      tries.count(tried);
      if (yield* this.isRepeated(marker)) {
        this.state.text.holdFrame(this.state.take(marker.text.length));
        return true;
      }
    }
    return false;
  }

  /** `<tool_call>⏎<tool_call>{…}`: an opening marker that cannot be prose, and the same again after it. */
  private *isRepeated(marker: Marker): Step<boolean> {
    if (!isOpener(marker)) return false;
    const { text } = marker;
    return yield* this.state.scan.look(2 * text.length + 16, (ahead, all) => {
      const behind = ahead.slice(text.length).trimStart();
      if (behind.startsWith(text)) return true;
      return !all && text.startsWith(behind) ? unsure : false;
    });
  }

  private *take(marker: Marker, role: MarkerRole): Step<boolean> {
    const { state } = this;
    const { text } = marker;
    const { scan } = state;
    switch (role.kind) {
      case 'call':
        return yield* parseCall(state, role, text.length);
      case 'escaped-call':
        return yield* parseEscapedCall(state, marker);
      case 'reasoning':
        scan.at += text.length;
        yield* parseReasoning(state, role.block);
        return true;
      case 'reasoning-close':
        return yield* dropLoneClose(state, text.length);
      case 'frame':
        if (role.besideCall && scan.offset !== state.behindCall) state.text.holdFrame(state.take(text.length));
        else yield* skipText(state, text.length);
        return true;
      case 'stray-close':
        return yield* dropStrayClose(state, text, role);
      case 'turn-end':
        state.text.holdToken(state.take(text.length), scan.offset - text.length);
        return true;
      case 'result':
        return yield* dropResult(state, role.marker);
      case 'example':
        if (state.options.tools.get(role.element)) return false;
        yield* scan.ahead(text.length + 2);
        passExampleTag(state, role, text);
        return true;
    }
  }
}

const twoWords = /[\w'’-]+,? [A-Za-z]/y;

/** Creates parsers for parts of a text: with the same options, but outside reasoning that the prompt opened. */
export const partParser =
  (options: TextParserOptions) =>
  (output: ParserOutput, part: TextPart): PartParser =>
    new TextParser(output, { ...options, prefilled: false }, part);
