import { unescapeMarkup } from '../escape.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import type { Step } from '../scanner.ts';
import type { ParserState } from './parser-state.ts';
import { collectCalls } from './speculative-parser.ts';

/** Parses a call whose very markers are HTML-escaped, `&lt;tool_call&gt;…&lt;/tool_call&gt;`: it is unescaped once, as a whole. */
export function* parseEscapedCall(state: ParserState, marker: string): Step<boolean> {
  const { scan } = state;
  const from = scan.offset;
  const raw = yield* takeEscaped(state, marker);
  const calls: PendingCall[] = [];
  const inner = state.partParser(
    collectCalls(state.output, calls, () => {}),
    from,
  );
  inner.push(unescapeMarkup(raw));
  inner.end();
  const whole = calls.filter((call) => call.state === 'closed' && call.tool !== undefined);
  if (whole.length === 0) {
    state.tries.count();
    state.emitWhole(raw);
    return true;
  }
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

/** Takes the text up to and with its closing marker, or to the end. */
function* takeEscaped({ scan }: ParserState, marker: string): Step<string> {
  const closer = marker.replace('&lt;', '&lt;/');
  scan.mark();
  scan.at += marker.length;
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
  return raw;
}
