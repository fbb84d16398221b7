import type { Dialect } from '../dialect.ts';
import { type PendingCall, unobserved } from '../finalize/pending-call.ts';
import { isBlankCode, ParseFailure, type Step, unsure } from '../scanner.ts';
import { continueBehindCall, resultAhead } from './behind-call.ts';
import { candidateFor, isProse } from './calls.ts';
import { longestUndecided } from './held-calls.ts';
import { callLimitReached } from './parser-output.ts';
import type { FenceChar, ParserState } from './parser-state.ts';

/**
 * Parses calls directly inside fences. They count if only white space follows, or a result that the model invents; else
 * all of it is text:
 *
 *     ```json\n{"tool_calls": […]}\n```\n                calls
 *     ```json\n{"tool_calls": […]}\n```\nResult of f:…   calls
 *     ```json\n{"tool_calls": […]}\n```\nOK?             text
 */
export function* fencedCalls(state: ParserState, fence: string): Step<boolean> {
  const { scan } = state;
  const infoChar = fence.startsWith('`') ? /[^\n`]/ : /[^\n]/;
  const calls: PendingCall[] = [];
  const from = scan.offset;
  scan.mark();
  let inside = false;
  let dialect: Dialect | undefined;
  for (;;) {
    yield* scan.space(calls.length === 0 ? longestUndecided : undefined);
    if (dialect && !inside) {
      if (yield* takeTurnEnd(state)) continue;
      if (yield* resultAhead(scan, dialect)) break;
    }
    const next = yield* scan.peek();
    if (next === '' && calls.length > 0) break;
    if (next !== '' && (yield* scan.takeText(fence))) {
      if (!inside) yield* scan.run(infoChar, mostInfo);
      inside = !inside;
      // An empty block holds no call. Continuing to the next block would parse it again from there: quadratic time.
      if (inside || calls.length > 0) continue;
    }
    const before = calls.length;
    try {
      const found = inside ? yield* parseSpeculativeCall(state, calls) : undefined;
      if (found && calls.length > before) {
        dialect = found;
        continue;
      }
    } catch (error) {
      if (error === callLimitReached) commit(state, calls, from);
      throw error;
    }
    if (calls.length === 0) {
      scan.rewind();
      scan.unmark();
      return false;
    }
    if (inside) state.openFence(fence[0] as FenceChar, fence.length);
    state.emitWhole(scan.since());
    scan.unmark();
    return true;
  }
  scan.unmark();
  commit(state, calls, from);
  if (dialect) yield* continueBehindCall(state, dialect);
  return true;
}

/**
 * True if no call directly follows the fence of `run` characters at `at`; false if one may, or if much white space
 * follows. Not valid at the answer's start, where more forms begin a call.
 */
export function isWithoutCall(
  { scan: { text }, markers }: ParserState,
  at: number,
  run: number,
): boolean | typeof unsure {
  let to = at + run;
  for (let info = 0; info < mostInfo && to < text.length && isInfo(text, at, to); info++) to++;
  const most = to + mostSpace;
  while (to < most && to < text.length && isBlankCode(text.charCodeAt(to))) to++;
  if (to === text.length) return to < most && unsure;
  // An empty block.
  if (text.startsWith(text.slice(at, at + run), to)) return true;
  const begins = markers.callBeginsAt(text, to, 'fence');
  return begins === 'open' ? unsure : begins === 'no' && to < most;
}

const mostSpace = 256;

/** Most characters of the text after a fence on its line. */
const mostInfo = 40;

/** True for a character of that text; after a backtick fence, a backtick is not one. */
const isInfo = (text: string, fence: number, at: number): boolean =>
  text[at] !== '\n' && (text[at] !== '`' || text[fence] !== '`');

/** Consumes a token that ends the turn. */
function* takeTurnEnd(state: ParserState): Step<boolean> {
  const { scan } = state;
  yield* scan.peek();
  for (const marker of yield* state.markersAhead('anywhere')) {
    if (!marker.roles.some(({ kind }) => kind === 'turn-end')) continue;
    scan.at += marker.text.length;
    return true;
  }
  return false;
}

function commit(state: ParserState, calls: readonly PendingCall[], from: number): void {
  for (const call of calls) call.repair('strip-fence', from, state.scan.endWithoutBlanks);
  state.calls += calls.length;
  state.text.drop();
  state.output.commit(calls);
}

/**
 * Parses a call that is not yet part of the answer; returns its dialect, or undefined if none begins here or it is
 * unreadable.
 */
function* parseSpeculativeCall(state: ParserState, calls: PendingCall[]): Step<Dialect | undefined> {
  const { scan, tries } = state;
  const from = scan.offset;
  yield* scan.peek();
  const inFence = yield* state.markersAhead('fence');
  const found = state.answerStart ? [...(yield* state.markersAhead('answer')), ...inFence] : inFence;
  for (const marker of found) {
    for (const role of marker.roles) {
      if (role.kind !== 'call' || isProse(state, role) || !tries.mayTry(from)) continue;
      tries.count();
      scan.at += marker.text.length;
      const candidate = candidateFor(state, role, from, (rawName) => state.output.openSpeculative(rawName, unobserved));
      if (role.dialect.matches && !(yield* role.dialect.matches(scan, candidate))) {
        scan.back(marker.text.length);
        continue;
      }
      try {
        yield* role.dialect.parse(scan, candidate);
        candidate.end();
      } catch (error) {
        if (error instanceof ParseFailure) return undefined;
        if (error !== callLimitReached) throw error;
        collect(candidate.calls, calls);
        throw error;
      }
      collect(candidate.calls, calls);
      return role.dialect;
    }
  }
  return undefined;
}

/** Keeps the calls that are complete and on offer. */
function collect(from: readonly PendingCall[], calls: PendingCall[]): void {
  for (const call of from) if (call.state === 'closed' && call.tool !== undefined) calls.push(call);
}
