import { unescapeMarkup } from '../escape.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { wordPattern } from '../find.ts';
import { type Scanner, type Step, unsure } from '../scanner.ts';
import { longestUndecided } from './held-calls.ts';
import type { Marker } from './marker-set.ts';
import { callLimitReached } from './parser-output.ts';
import type { ParserState, PartParser } from './parser-state.ts';
import { collectCalls } from './speculative-parser.ts';
import { Tries } from './tries.ts';

/** Characters of `&quot;`. */
const longestEscape = 6;

/** A tag in full-width brackets, and the longest that is looked for. */
const wideTag =
  /＜(\/?(?:｜\w+｜ ?)?(?:tool_calls?|function_calls?|function|invoke|parameter|arg_key|arg_value)(?:[ =][^＜＞<>\n]{0,160})?)＞/g;
const longestWideTag = 200;

/** An escaped form of a dialect's tags. */
interface Escape {
  /** Restores the tags in a text that splits none of them. */
  readonly undo: (text: string) => string;
  /** The first character of an escape, and the most characters that it has. */
  readonly begin: string;
  readonly longest: number;
}

const markup: Escape = { undo: unescapeMarkup, begin: '&', longest: longestEscape };
const wide: Escape = {
  undo: (text) => text.replace(wideTag, '<$1>'),
  begin: '＜',
  longest: longestWideTag,
};

/** The beginning of an escaped call after a marker that is not escaped. */
const escapedPayload = /^\s*(?:(?:[[{]\s*)*|[\w.-]{1,64}\s*)&(?:quot|#34|lt|apos|#39);/;
const mayBeEscaped = /^\s*(?:(?:[[{]\s*)*|[\w.-]{1,64}\s*)(?:&[a-z#\d]{0,4})?$/;

/**
 * Parses a call that is HTML-escaped, with or without its markers, or whose tags have full-width brackets:
 * `&lt;tool_call&gt;…&lt;/tool_call&gt;`, `<tool_call>{&quot;name&quot;: …}</tool_call>`, `＜tool_call＞…＜/tool_call＞`.
 * It is unescaped once, piece by piece.
 */
export function* parseEscapedCall(state: ParserState, marker: Marker): Step<boolean> {
  const { scan } = state;
  if (scan.offset === state.textAt) return false;
  if (marker.text.startsWith('<') && !(yield* isPayloadEscaped(scan, marker.text.length))) return false;
  const from = scan.offset;
  // If even its marker is escaped it may be an example, in case prose follows it.
  const mayBeExample = !marker.text.startsWith('<') && !state.held;
  const calls: PendingCall[] = [];
  const inner = state.partParser(
    collectCalls(state.output, calls, () => {}),
    { from, tries: state.triesInEscaped },
  );
  scan.mark();
  const isRead = yield* takeEscaped(state, marker, inner, mayBeExample ? longestUndecided : Infinity);
  inner.end();
  if (state.output.isFull()) throw callLimitReached;
  const whole = isRead ? calls.filter((call) => call.state === 'closed' && call.tool !== undefined) : [];
  if (whole.length === 0) {
    const raw = scan.since();
    scan.unmark();
    state.tries.count();
    state.emitWhole(raw);
    return true;
  }
  state.triesInEscaped = new Tries(scan.offset);
  if (mayBeExample) state.holdCalls('answer');
  scan.unmark();
  for (const call of whole) {
    call.repairWhole(isWide(marker.text) ? 'tolerate-tag' : 'unescape-markup');
    call.setRangeOfWhole([from, scan.offset]);
  }
  state.calls += whole.length;
  state.answerStart = false;
  state.text.drop();
  state.output.commit(whole);
  yield* state.skipWhitespace();
  return true;
}

/** Characters after a marker that decide whether a call there is escaped. */
const longestBeginning = 160;

/** False if the text at `at`, after a marker that is not escaped, cannot become an escaped call. */
export function mayBeginEscaped(text: string, at: number): boolean {
  const payload = text.slice(at, at + longestBeginning);
  return escapedPayload.test(payload) || (payload.length < longestBeginning && mayBeEscaped.test(payload));
}

const isPayloadEscaped = (scan: Scanner, behind: number): Step<boolean> =>
  scan.look(behind + longestBeginning, (ahead, all) => {
    const payload = ahead.slice(behind);
    if (escapedPayload.test(payload)) return true;
    return !all && mayBeEscaped.test(payload) ? unsure : false;
  });

const isWide = (marker: string): boolean => marker.startsWith('＜');

/**
 * Consumes the text up to and including its closing marker, escaped or not, or to the end, and passes it to the parser.
 * False if it is longer than `most` characters: these were consumed.
 */
function* takeEscaped({ scan }: ParserState, marker: Marker, inner: PartParser, most: number): Step<boolean> {
  const form = isWide(marker.text) ? wide : markup;
  const { name, closer, longest } = closingOf(marker);
  let ahead = marker.text.length;
  const from = scan.offset;
  for (;;) {
    while (isAmidst(scan, name) && (yield* scan.more()));
    closer.lastIndex = scan.at + ahead;
    ahead = 0;
    const closed = closer.test(scan.text);
    // The text may end in a prefix of the closing marker or of an escape.
    const open = scan.ended ? scan.text.length : uncut(scan.text, scan.text.length - longest, form);
    const to = closed ? closer.lastIndex : open;
    if (scan.base + to - from > most) {
      scan.at = from + most - scan.base;
      return false;
    }
    pass(scan, inner, form, to);
    if (closed || !(yield* scan.more())) return true;
  }
}

interface ClosingMarker {
  /** Of the element. */
  readonly name: string;
  readonly closer: RegExp;
  /** The most characters that it has. */
  readonly longest: number;
}

const closings = new WeakMap<Marker, ClosingMarker>();

/** The closing marker of an opening one, computed once: an answer may have thousands of escaped calls. */
function closingOf(marker: Marker): ClosingMarker {
  const cached = closings.get(marker);
  if (cached) return cached;
  const name = marker.text.replace(/^(?:<|&lt;|＜)|(?:>|&gt;|＞)$/g, '');
  const closer = new RegExp(`(?:<|&lt;|＜)/${wordPattern([name])}(?:>|&gt;|＞)`, 'g');
  const made = { name, closer, longest: name.length + '&lt;/&gt;'.length };
  closings.set(marker, made);
  return made;
}

/** Characters that are examined together unless they end in a closing marker. */
const examined = 64;

/** True if little text waits and no closing marker of this name ends with it. */
const isAmidst = ({ text, at }: Scanner, name: string): boolean =>
  text.length - at < examined &&
  !('>;＞'.includes(text.charAt(text.length - 1)) && text.includes(`/${name}`, text.length - name.length - 5));

/** Passes the text up to an index to the inner parser. */
function pass(scan: Scanner, inner: PartParser, { undo }: Escape, to: number): void {
  if (to <= scan.at) return;
  inner.push(undo(scan.text.slice(scan.at, to)));
  scan.at = to;
}

/** The index, or the start of the escape that it would split. */
function uncut(text: string, at: number, { begin, longest }: Escape): number {
  const from = at > 0 ? text.lastIndexOf(begin, at - 1) : -1;
  return from >= 0 && at - from < longest ? from : at;
}
