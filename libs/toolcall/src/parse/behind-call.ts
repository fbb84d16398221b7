import type { Dialect, ResultMarker } from '../dialect.ts';
import type { Scanner, Step } from '../scanner.ts';
import type { MarkerRole } from './marker-set.ts';
import type { ParserState } from './parser-state.ts';

/**
 * Goes on behind a call: what stands there may be a result that the model invents.
 *
 *     <tool_call>{…}</tool_call></tool_call>\n<tool_response>made up…
 *                               ^ left over    ^ dropped, with all that follows
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

/** True if a result of the dialect begins here. */
export function* resultAhead(scan: Scanner, { resultMarkers }: Dialect): Step<boolean> {
  for (const marker of resultMarkers)
    if ((yield* scan.isAhead(marker.text)) && (yield* isResult(scan, marker))) return true;
  return false;
}

/** True if what stands behind the marker, which stands here, is what belongs there. */
function* isResult(scan: Scanner, { text, behind }: ResultMarker): Step<boolean> {
  return !behind || behind.test((yield* scan.ahead(text.length + 160)).slice(text.length));
}

/** Drops a result that begins here, with all that follows; false where there was no call yet, or it is prose. */
export function* dropResult(state: ParserState, marker: ResultMarker): Step<boolean> {
  const { scan } = state;
  if (state.calls === 0 || !(yield* isResult(scan, marker))) return false;
  const { text } = marker;
  state.output.note('drop-invented-result', [scan.offset, scan.offset + text.length]);
  state.ignoring = true;
  return true;
}

/** Leaves out a closing marker that closes nothing; false where it is text. */
export function* dropStrayClose(
  state: ParserState,
  text: string,
  { directly }: MarkerRole & { kind: 'stray-close' },
): Step<boolean> {
  if (state.calls === 0 || (directly && state.scan.offset !== state.behindCall)) return false;
  // a fence behind a call may as well open a code block
  if (text.startsWith('`') && !(yield* endsBehind(state, text.length))) return false;
  yield* skipText(state, text.length);
  return true;
}

/** Leaves out a marker and the white space behind it. */
export function* skipText(state: ParserState, length: number): Step<void> {
  const dialect = state.scan.offset === state.behindCall ? state.lastDialect : undefined;
  state.scan.at += length;
  if (dialect) yield* continueBehindCall(state, dialect);
  else yield* state.skipWhitespace();
}

/** "…</tool_c" at the end of the text, behind a call: what is there of a closing marker is left out; behind text of its own, only if half of it is. */
export function dropCutCloser({ scan, markers, calls, behindCall, lastDialect, options }: ParserState): boolean {
  if (calls === 0 || !scan.ended || scan.text.length - scan.at > 63) return false;
  const rest = scan.text.slice(scan.at);
  const directly = scan.offset === behindCall;
  const begins = (closer: string): boolean => closer.startsWith(rest) && (directly || 2 * rest.length >= closer.length);
  // a bracket alone is text, unless it stands directly behind the call
  const isCut =
    (markers.closers.some(begins) && (directly || rest !== ']')) ||
    (directly && lastDialect?.closingMarkers?.(options.tools).some(begins));
  if (!isCut) return false;
  scan.at = scan.text.length;
  return true;
}

/** True if nothing but white space follows so many characters. */
function* endsBehind({ scan }: ParserState, length: number): Step<boolean> {
  scan.mark();
  scan.at += length;
  yield* scan.space();
  const ends = (yield* scan.peek()) === '';
  scan.rewind();
  scan.unmark();
  return ends;
}
