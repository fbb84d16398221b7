import type { PendingCall } from '../finalize/pending-call.ts';
import { findPattern } from '../find.ts';
import { ParseFailure, type Step } from '../scanner.ts';
import { continueBehindCall } from './behind-call.ts';
import { Candidate } from './candidate.ts';
import { mayBeginEscaped } from './escaped-call.ts';
import type { HeldScope } from './held-calls.ts';
import type { MarkerRole } from './marker-set.ts';
import type { ParserState } from './parser-state.ts';
import { parseReasoning } from './reasoning.ts';

/**
 * `[TOOL_CALLS]bash([TOOL_CALLS]bash(`: a call that ends behind its name counts as so many failed attempts, as it costs as
 * much: it is dropped, reported and explained.
 */
const triesOfEmptyCall = 4;

type CallRole = MarkerRole & { kind: 'call' };

/**
 * Parses calls from an opening marker on; false if it begins no call of this dialect, and then nothing is consumed.
 *
 *     <tool_call>{"name": …}</tool_call>
 *     ^ mark     ^ matches?            ^ the grammar's end; after a failure the parser may go back to the mark
 */
export function* parseCall(state: ParserState, role: CallRole, length: number): Step<boolean> {
  const { scan, options } = state;
  const { dialect } = role;
  const until = state.held?.until === 'answer' ? undefined : heldUntil(role, state);
  if (until && scan.offset === state.textAt) return false;
  const candidate = candidateFor(state, role, scan.offset, (rawName) => {
    if (until && candidate.calls.length === 0) state.holdCalls(until);
    state.text.drop();
    state.calls++;
    return state.output.openCall(rawName);
  });
  scan.mark();
  scan.at += length;
  if (dialect.matches && !(yield* dialect.matches(scan, candidate))) {
    scan.rewind();
    scan.unmark();
    return false;
  }
  try {
    const found = yield* dialect.parse(scan, candidate);
    const isText = !found || (found === 'frame' && options.own !== undefined && !role.own);
    if (candidate.calls.length === 0 && isText) throw new ParseFailure('not-a-call');
    scan.unmark();
    candidate.end();
    if (candidate.calls.length > 0) {
      if (candidate.calls.every(({ input }) => input === '')) state.tries.count(triesOfEmptyCall);
      yield* continueBehindCall(state, dialect);
    }
    if (found && found !== 'frame') yield* parseReasoning(state, found);
    state.lineStart = true;
    state.forgetText();
    return true;
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    return yield* abandon(state, error, candidate, length);
  }
}

/**
 * The scope in which no prose may follow for the call to count, if its marker could be prose and is not in the form of
 * the model's own dialect: the line, or the whole answer at its start and where the call may be an example.
 */
function heldUntil({ own, unmarked, openingMarker }: CallRole, state: ParserState): HeldScope | undefined {
  const { at, text, rule, onlyAtEnd } = openingMarker;
  const { answerStart } = state;
  // "You would write:⏎⏎    <tool_call>…", "> <tool_call>…": an example, if prose follows it.
  if (state.behindProse && state.isShown) return 'answer';
  // "Example: <tool_call>…</tool_call>⏎and then the result is shown."
  if (state.isIntroduced) return 'answer';
  // "You write "<tool_call>…" to read a file.", "- <tool_call>…</tool_call> reads a file"
  if (state.isQuotedInLine || state.beginsItem) return 'line';
  if (onlyAtEnd) return onlyAtEnd === 'always' || !own || !answerStart ? 'answer' : undefined;
  if (at === 'answer') return own && rule === undefined ? undefined : 'answer';
  if (!unmarked) return undefined;
  return text.startsWith('`') ? 'answer' : 'line';
}

/**
 * True if a marker that could be prose is prose here: prose precedes it and the model is known to mark its calls; it
 * follows a call, where it means something else; or it is in a line of a diff.
 */
export function isProse(state: ParserState, role: MarkerRole): boolean {
  if (role.kind === 'escaped-call') return state.isInDiff;
  if (role.kind !== 'call') return false;
  const { behindProse, options, calls } = state;
  if (role.unmarked && behindProse && options.marksCalls) return true;
  return (role.openingMarker.onlyFirst === true && calls > 0) || state.isInDiff;
}

/** True if the text after this marker at `at` of that length shows at once that no call begins. */
export function isRuledOut(
  { scan: { text }, options }: ParserState,
  at: number,
  role: MarkerRole,
  length: number,
): boolean {
  if (length === 0) return false;
  if (role.kind === 'escaped-call') return text[at] === '<' && !mayBeginEscaped(text, at + length);
  return role.kind === 'call' && role.dialect.rulesOut?.(text, at + length, role.openingMarker, options.tools) === true;
}

/** Creates the candidate for a call of this role's dialect. */
export const candidateFor = (
  { options, scan }: ParserState,
  { dialect, openingMarker, own, foreign, unmarked }: CallRole,
  from: number,
  open: (rawName: string) => PendingCall,
): Candidate => {
  const opened = (rawName: string): PendingCall => {
    const call = open(rawName);
    call.unmarked = unmarked;
    return call;
  };
  return new Candidate(dialect, openingMarker, own, foreign, options.tools, opened, from, scan);
};

/** Handles a grammar that cannot continue: the call that it opened fails; if it opened none, the text is emitted. */
function* abandon(state: ParserState, error: ParseFailure, candidate: Candidate, length: number): Step<boolean> {
  const { scan } = state;
  if (error.reason === 'cut' && scan.ended) scan.at = scan.text.length;
  if (candidate.calls.length > 0) {
    yield* failCall(state, error, candidate);
    return true;
  }
  const raw = scan.since();
  if (error.reason === 'cut' && isMarked(candidate)) {
    scan.unmark();
    state.calls++;
    failCut(state.output.openCall(''), raw).setRange(candidate.from, scan.endWithoutBlanks);
    return true;
  }
  if (raw.length - length <= 256 && length > 0) {
    scan.rewind();
    scan.unmark();
    return false;
  }
  scan.unmark();
  if (error.reason !== 'not-a-call') state.output.note('released', [candidate.from, scan.offset]);
  state.emitWhole(raw);
  return true;
}

function* failCall(state: ParserState, error: ParseFailure, candidate: Candidate): Step<void> {
  const { scan } = state;
  const call = candidate.current;
  if (call) {
    const raw = call.streaming ? '' : scan.since();
    if (error.reason === 'cut') failCut(call, raw);
    else call.fail({ class: 'InvalidJson', detail: 'the call cannot be read', message: raw });
    if (error.reason === 'broken') yield* skipBroken(state);
  }
  scan.unmark();
  candidate.end();
  yield* continueBehindCall(state, candidate.dialect);
}

function failCut(call: PendingCall, raw: string): PendingCall {
  call.fail({ class: 'Truncated', detail: 'the text ended inside the call', message: raw });
  return call;
}

/** True if its marker begins nothing but calls. */
const isMarked = ({ dialect, openingMarker }: Candidate): boolean =>
  !dialect.ambiguous &&
  !openingMarker.ambiguous &&
  openingMarker.text !== '' &&
  openingMarker.rule !== 'restore-markers';

/** Drops the rest of an unreadable call, if its closing marker is near. */
function* skipBroken({ scan, markers }: ParserState): Step<void> {
  const { closers, closersPattern } = markers;
  scan.mark();
  if (yield* findPattern(scan, new RegExp(closersPattern, 'g'), 64, 4096)) {
    while (yield* scan.oneOf(closers)) yield* scan.space();
  } else {
    scan.rewind();
  }
}
