import { isBlankCode } from '../scanner.ts';
import { passBackticks, passFence } from './code.ts';
import type { ParserState } from './parser-state.ts';
import { type Passed, passMarker } from './pass-marker.ts';

const newline = 10;
const backtick = 96;
const tilde = 126;

/**
 * Emits text in one piece, up to the start of a marker or of a run of backticks that has not ended:
 *
 *     I will look.\n<tool_ca
 *     ^^^^^^^^^^^^^ emitted, as `<tool_ca` may become `<tool_call>`
 *
 * False if more text is needed to continue.
 */
export function emitPlainText(state: ParserState): boolean {
  const { scan, markers } = state;
  const { text } = scan;
  const { stopCodes } = markers;
  let at = scan.at;
  for (; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (!state.lineStart) {
      while (stopCodes[code & 255] === 0 && ++at < text.length) code = text.charCodeAt(at);
      if (at === text.length) break;
    }
    if (code === newline) {
      state.beginLine();
      while (at + 1 < text.length && isBlankCode(text.charCodeAt(at + 1))) passBlank(state, text.charCodeAt(++at));
      continue;
    }
    let passed = code === backtick || code === tilde ? passFenceHere(state, at) : 'text';
    if (typeof passed === 'number') {
      at += passed - 1;
      continue;
    }
    if (passed === 'text' && code === backtick) {
      const run = inlineRun(state, at);
      if (run === 0) break;
      passBackticks(state, run);
      at += run - 1;
      continue;
    }
    const blank = isBlankCode(code);
    if (passed === 'text' && !state.inCode) passed = passMarkerHere(state, at, blank);
    if (passed === 'unknown') break;
    if (passed === 'open') {
      state.emitTo(at);
      return false;
    }
    if (passed === 'taken') at = scan.at - 1;
    else if (blank) passBlank(state, code);
    else {
      if (state.lineStart) state.beginText(code);
      state.passVisible();
    }
  }
  state.emitTo(at);
  return at < text.length;
}

/** Only at the start of a line is it a fence. */
const passFenceHere = (state: ParserState, at: number): Passed | number =>
  !state.lineStart ? 'text' : state.answerStart ? 'unknown' : passFence(state, at);

/**
 * Handles the marker that begins here unless it must be tried. At the answer's start a call may begin without a marker.
 */
function passMarkerHere(state: ParserState, at: number, blank: boolean): Passed {
  const { scan, markers, tries, lineStart, answerStart } = state;
  const position = !lineStart || blank ? 'anywhere' : answerStart ? 'answer' : 'line';
  const begins = tries.mayTry(scan.base + at)
    ? markers.beginsAt(scan.text, at, position)
    : markers.othersBeginAt(scan.text, at, position);
  if (begins === 'open' && !scan.ended) return 'open';
  const passed = begins === 'no' ? 'text' : passMarker(state, at, position);
  return passed === 'text' && position === 'answer' ? 'unknown' : passed;
}

/** True if ASCII text in the middle of a line holds no line break, no backtick and no start of a marker. */
export function isPlain({ markers, inCode }: ParserState, text: string): boolean {
  const { stopPattern } = markers;
  stopPattern.lastIndex = 0;
  while (stopPattern.test(text)) {
    const at = stopPattern.lastIndex - 1;
    const code = text.charCodeAt(at);
    if (code === newline || code === backtick) return false;
    if (!inCode && markers.beginsAt(text, at, 'anywhere') !== 'no') return false;
  }
  return true;
}

/** Records white space. An invisible character that is not white space ends the start of the line. */
function passBlank(state: ParserState, code: number): void {
  state.passIndentation(code);
  if (code === 0x2060 || (code >= 0x200b && code <= 0x200d)) state.passVisible();
}

/** The length of the run of backticks here, if it opens no block and is complete; else 0. */
function inlineRun({ scan, markers, lineStart, answerStart, inCode }: ParserState, at: number): number {
  const { text } = scan;
  let end = at + 1;
  while (end < text.length && end - at < 64 && text.charCodeAt(end) === backtick) end++;
  if (end >= text.length || (lineStart && (answerStart || end - at >= 3))) return 0;
  if (lineStart && !inCode && markers.beginsAt(text, at, 'line') !== 'no') return 0;
  return end - at;
}
