import { unescapeMarkup } from '../escape.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import type { Scanner, Step } from '../scanner.ts';
import type { ParserState, PartParser } from './parser-state.ts';
import { collectCalls } from './speculative-parser.ts';

/** Characters of `&quot;`. */
const longestEscape = 6;

/** Parses a call whose very markers are HTML-escaped, `&lt;tool_call&gt;…&lt;/tool_call&gt;`: it is unescaped once, as it comes. */
export function* parseEscapedCall(state: ParserState, marker: string): Step<boolean> {
  const { scan } = state;
  const from = scan.offset;
  const calls: PendingCall[] = [];
  const inner = state.partParser(
    collectCalls(state.output, calls, () => {}),
    { from },
  );
  scan.mark();
  yield* takeEscaped(state, marker, inner);
  inner.end();
  const whole = calls.filter((call) => call.state === 'closed' && call.tool !== undefined);
  if (whole.length === 0) {
    const raw = scan.since();
    scan.unmark();
    state.tries.count();
    state.emitWhole(raw);
    return true;
  }
  scan.unmark();
  for (const call of whole) {
    call.repairWhole('unescape-markup');
    call.setRangeOfWhole([from, scan.offset]);
  }
  state.calls += whole.length;
  state.answerStart = false;
  state.text.drop();
  state.output.commit(whole);
  yield* state.skipWhitespace();
  return true;
}

/** Takes the text up to and with its closing marker, or to the end, and shows it to the parser. */
function* takeEscaped({ scan }: ParserState, marker: string, inner: PartParser): Step<void> {
  const closer = marker.replace('&lt;', '&lt;/');
  let ahead = marker.length;
  for (;;) {
    const end = scan.text.indexOf(closer, scan.at + ahead);
    ahead = 0;
    if (end >= 0) {
      pass(scan, inner, end + closer.length);
      return;
    }
    // The closing marker, or another escape, may have begun.
    if (!scan.ended) pass(scan, inner, uncut(scan.text, scan.text.length - closer.length));
    if (!(yield* scan.more())) {
      pass(scan, inner, scan.text.length);
      return;
    }
  }
}

/** Shows the text up to an index. */
function pass(scan: Scanner, inner: PartParser, to: number): void {
  if (to <= scan.at) return;
  inner.push(unescapeMarkup(scan.text.slice(scan.at, to)));
  scan.at = to;
}

/** The index, or where the escape begins that it might cut in two. */
function uncut(text: string, at: number): number {
  const from = at > 0 ? text.lastIndexOf('&', at - 1) : -1;
  return from >= 0 && at - from < longestEscape ? from : at;
}
