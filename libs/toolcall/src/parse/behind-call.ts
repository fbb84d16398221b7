import type { Dialect, ResultMarker } from '../dialect.ts';
import type { Scanner, Step } from '../scanner.ts';
import type { MarkerRole } from './marker-set.ts';
import type { ParserState } from './parser-state.ts';

/**
 * Continues after a call, where the model may have invented a result.
 *
 *     <tool_call>{…}</tool_call></tool_call>\n<tool_response>made up…
 *                               ^ surplus      ^ dropped, with all that follows
 */
export function* continueBehindCall(state: ParserState, dialect: Dialect): Step<void> {
  const { scan } = state;
  state.answerStart = false;
  state.lastDialect = dialect;
  yield* state.skipWhitespace();
  state.behindCall = scan.offset;
  for (const marker of dialect.resultMarkers)
    if ((yield* scan.isAhead(marker.text)) && (yield* dropResult(state, marker))) return;
}

/** True if a result in the dialect's format begins here. */
export function* resultAhead(scan: Scanner, { resultMarkers }: Dialect): Step<boolean> {
  for (const marker of resultMarkers)
    if ((yield* scan.isAhead(marker.text)) && (yield* isResult(scan, marker))) return true;
  return false;
}

/** True if the text after the marker, which begins here, is that of a result. */
function* isResult(scan: Scanner, { text, behind }: ResultMarker): Step<boolean> {
  return !behind || behind.test((yield* scan.ahead(text.length + 160)).slice(text.length));
}

/** Drops a result that begins here and all that follows; false if no call precedes it, or if it is prose. */
export function* dropResult(state: ParserState, marker: ResultMarker): Step<boolean> {
  const { scan } = state;
  if (state.calls === 0 || !(yield* isResult(scan, marker))) return false;
  const { text } = marker;
  state.output.note('drop-invented-result', [scan.offset, scan.offset + text.length]);
  state.ignoring = true;
  return true;
}

/** Drops a closing marker that closes nothing; false if it is text. */
export function* dropStrayClose(
  state: ParserState,
  text: string,
  { directly }: MarkerRole & { kind: 'stray-close' },
): Step<boolean> {
  if (state.calls === 0 || (directly && state.scan.offset !== state.behindCall)) return false;
  // a fence after a call may open a code block instead
  if (text.startsWith('`') && !(yield* endsBehind(state, text.length))) return false;
  yield* skipText(state, text.length);
  return true;
}

/** Drops a marker and the white space after it. */
export function* skipText(state: ParserState, length: number): Step<void> {
  const dialect = state.scan.offset === state.behindCall ? state.lastDialect : undefined;
  state.scan.at += length;
  if (dialect) yield* continueBehindCall(state, dialect);
  else yield* state.skipWhitespace();
}

/**
 * "…</tool_c" at the end of the text, after a call: a partial closing marker is dropped; if text precedes it, only if
 * at least half of the marker is there.
 */
export function dropCutCloser({ scan, markers, calls, behindCall, lastDialect, options }: ParserState): boolean {
  if (calls === 0 || !scan.ended || scan.text.length - scan.at > 63) return false;
  const rest = scan.text.slice(scan.at);
  const directly = scan.offset === behindCall;
  const begins = (closer: string): boolean => closer.startsWith(rest) && (directly || 2 * rest.length >= closer.length);
  // a lone bracket is text, unless it directly follows the call
  const isCut =
    (markers.closers.some(begins) && (directly || rest !== ']')) ||
    (directly && lastDialect?.closingMarkers?.(options.tools).some(begins));
  if (!isCut) return false;
  scan.at = scan.text.length;
  return true;
}

/** True if nothing but white space follows after this many characters. */
function* endsBehind({ scan }: ParserState, length: number): Step<boolean> {
  scan.mark();
  scan.at += length;
  yield* scan.space();
  const ends = (yield* scan.peek()) === '';
  scan.rewind();
  scan.unmark();
  return ends;
}
