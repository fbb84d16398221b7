import { isBlankCode } from '../scanner.ts';
import { passBackticks } from './code.ts';
import type { ParserState } from './parser-state.ts';

const newline = 10;
const backtick = 96;
const tilde = 126;

/**
 * Emits text at one go, up to where a marker begins or backticks stand whose run has not ended:
 *
 *     I will look.\n<tool_ca
 *     ^^^^^^^^^^^^^ emitted, as `<tool_ca` may become `<tool_call>`
 *
 * False if nothing more can be done before more text has come.
 */
export function emitPlainText(state: ParserState): boolean {
  const { scan, markers, tries } = state;
  const { text } = scan;
  const { stopCodes } = markers;
  const from = scan.at;
  let at = from;
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
    if (code === backtick) {
      const run = inlineRun(state, at);
      if (run === 0) break;
      passBackticks(state, run);
      at += run - 1;
      continue;
    }
    if (code === tilde && state.lineStart) break;
    const blank = isBlankCode(code);
    if (!state.inCode) {
      if (state.lineStart && !blank && state.answerStart) break;
      const position = state.lineStart && !blank ? 'line' : 'anywhere';
      let begins = markers.beginsAt(text, at, position);
      if (begins !== 'no' && !tries.mayTry(scan.base + at)) begins = markers.othersBeginAt(text, at, position);
      if (begins === 'open' && !scan.ended) {
        emitUpTo(state, from, at);
        return false;
      }
      if (begins !== 'no') break;
    }
    if (blank) passBlank(state, code);
    else {
      if (state.lineStart) state.beginText(code);
      state.passVisible();
    }
  }
  emitUpTo(state, from, at);
  return at < text.length;
}

/** True if, in the middle of a line, ASCII text holds no end of the line, no backtick and no beginning of a marker. */
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

/** White space was passed. A character that is not seen but is no white space ends the line's start. */
function passBlank(state: ParserState, code: number): void {
  state.passIndentation(code);
  if (code === 0x2060 || (code >= 0x200b && code <= 0x200d)) state.passVisible();
}

function emitUpTo(state: ParserState, from: number, to: number): void {
  const { scan, text } = state;
  if (to === from) return;
  scan.at = to;
  state.lastChar = scan.text[to - 1] as string;
  text.emit(from === 0 && to === scan.text.length ? scan.text : scan.text.slice(from, to));
}

/** How many backticks stand here, if they begin no block and their end has come; else 0. */
function inlineRun({ scan, markers, lineStart, answerStart, inCode }: ParserState, at: number): number {
  const { text } = scan;
  let end = at + 1;
  while (end < text.length && end - at < 64 && text.charCodeAt(end) === backtick) end++;
  if (end >= text.length || (lineStart && (answerStart || end - at >= 3))) return 0;
  if (lineStart && !inCode && markers.beginsAt(text, at, 'line') !== 'no') return 0;
  return end - at;
}
