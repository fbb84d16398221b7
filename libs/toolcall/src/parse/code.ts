import { type Step, unsure } from '../scanner.ts';
import { fencedCalls, isWithoutCall } from './fenced-calls.ts';
import type { FenceChar, ParserState } from './parser-state.ts';
import { isWithoutMarker, type Passed } from './pass-marker.ts';

/** Records a run of backticks within a line: inline code begins or ends, unless a code block is open. */
export function passBackticks(state: ParserState, run: number): void {
  state.passVisible();
  if (state.fence > 0) return;
  if (state.inlineCode === 0) state.inlineCode = run;
  else if (state.inlineCode === run) state.inlineCode = 0;
}

/** Consumes a run of backticks within a line as text. */
export function* parseInlineBackticks(state: ParserState): Step<void> {
  const { scan } = state;
  let run = 1;
  while ((yield* scan.ahead(run + 1)).endsWith('`') && scan.text.length - scan.at > run && run < 64) run++;
  passBackticks(state, run);
  state.emitNext(run);
}

/**
 * Parses three or more backticks or tildes at the start of a line: a code block opens or closes, or the fence directly
 * surrounds a call.
 */
export function* parseFence(state: ParserState): Step<void> {
  const { scan } = state;
  const char = scan.text[scan.at] as FenceChar;
  let run = runAt(scan.text, scan.at);
  while (run < longestFence && scan.at + run === scan.text.length && (yield* scan.more()))
    run = runAt(scan.text, scan.at);
  const opens = state.fence === 0;
  if (opens && state.tries.mayTry(scan.offset) && (yield* fencedCalls(state, char.repeat(run)))) return;
  if (opens) state.openFence(char, run);
  else if (char === state.fenceChar && run >= state.fence) state.passFence(yield* languageAhead(state, run));
  state.lineStart = false;
  state.emitNext(run);
}

/**
 * Fast path of the same, without a generator: for a block without a call, if the text that decides has arrived. Returns
 * the length of the fence if it is to be emitted as text.
 */
export function passFence(state: ParserState, at: number): Passed | number {
  const { scan } = state;
  const { text } = scan;
  const char = text[at] as FenceChar;
  const run = runAt(text, at);
  if (scan.ended) return 'unknown';
  if (at + run === text.length && run < longestFence) return 'open';
  if (run < 3) return 'text';
  if (state.fence === 0) {
    if (!isWithoutMarker(state, at, 'line')) return 'unknown';
    const withoutCall = !state.tries.mayTry(scan.base + at) || isWithoutCall(state, at, run);
    if (withoutCall === unsure) return 'open';
    if (!withoutCall) return 'unknown';
    state.openFence(char, run);
  } else {
    const closes = char === state.fenceChar && run >= state.fence;
    const behind = text.slice(at + run, at + run + longestLanguageLine);
    const language = closes && isLanguage(behind, behind.length === longestLanguageLine);
    if (language === unsure) return 'open';
    if (closes) state.passFence(language);
  }
  state.passVisible();
  return run;
}

const longestFence = 64;

/** Length of the run of the character at `at`. */
function runAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  let to = at + 1;
  while (to < text.length && to - at < longestFence && text.charCodeAt(to) === code) to++;
  return to - at;
}

/** Characters after a fence within which its language must end the line. */
const longestLanguageLine = 48;

/** True if a language follows the fence, alone on its line: inside a block such a fence opens a nested one. */
const languageAhead = ({ scan }: ParserState, run: number): Step<boolean> =>
  scan.look(run + longestLanguageLine, (ahead, all) => isLanguage(ahead.slice(run), all));

function isLanguage(behind: string, all: boolean): boolean | typeof unsure {
  if (/^[ \t]{0,8}[A-Za-z][\w+#.-]{0,31}[ \t]{0,8}\r?\n/.test(behind)) return true;
  return !all && /^[ \t]{0,8}(?:[A-Za-z][\w+#.-]{0,31}[ \t]{0,8}\r?)?$/.test(behind) ? unsure : false;
}
