import type { MarkerPosition } from '../dialect.ts';
import { isBlankCode } from '../scanner.ts';
import { isRuledOut } from './calls.ts';
import { beginsCall, isOpener, type Marker, type MarkerRole } from './marker-set.ts';
import type { ParserState } from './parser-state.ts';
import { mayFollowClose, passWholeReasoning } from './reasoning.ts';

/**
 * Handles the markers that begin here if none of them begins a call and enough text has arrived: a whole block of
 * reasoning, a token that ends a turn, a tag that shows code in a document, a closing marker without a preceding call,
 * an opening marker that no call follows.
 *
 * - `text`: none of them means anything here: the text behind rules out that a call begins
 * - `taken`: one of them was consumed
 * - `open`: more text is needed
 * - `unknown`: they must be tried by the grammars; nothing was consumed
 */
export function passMarker(state: ParserState, at: number, position: MarkerPosition): Passed {
  const { scan, markers } = state;
  if (scan.ended) return 'unknown';
  const found = markers.at(scan.text, at, position, false);
  if (found === undefined) return 'open';
  let inVain = 0;
  for (const marker of found) {
    const mayTry = state.tries.mayTry(scan.base + at, inVain);
    let tried = false;
    for (const role of marker.roles) {
      if (isText(state, at, position, role, marker.text.length)) continue;
      if (!beginsCall(role)) return inVain === 0 && !tried ? take(state, at, marker, role) : 'unknown';
      if (!mayTry) continue;
      if (!isRuledOut(state, at, role, marker.text.length)) return 'unknown';
      tried = true;
    }
    if (tried) inVain++;
    if (mayBeRepeated(scan.text, at, marker)) return 'unknown';
  }
  state.tries.count(inVain);
  return 'text';
}

/** True if the next visible character may begin the same opening marker again. */
function mayBeRepeated(text: string, at: number, marker: Marker): boolean {
  if (!isOpener(marker)) return false;
  let behind = at + marker.text.length;
  while (behind < text.length && isBlankCode(text.charCodeAt(behind))) behind++;
  return behind === text.length || text[behind] === marker.text[0];
}

/** True if no marker with a meaning begins here, judging by the text so far. */
export function isWithoutMarker(state: ParserState, at: number, position: MarkerPosition): boolean {
  const { scan, markers } = state;
  if (markers.beginsAt(scan.text, at, position) === 'no') return true;
  const found = markers.at(scan.text, at, position, scan.ended);
  const mayTry = state.tries.mayTry(scan.base + at);
  const isWithout = (role: MarkerRole, length: number): boolean =>
    (!mayTry && beginsCall(role)) || isText(state, at, position, role, length);
  return found?.every(({ text, roles }) => roles.every((role) => isWithout(role, text.length))) ?? false;
}

export type Passed = 'text' | 'taken' | 'open' | 'unknown';

/**
 * True for a role without effect here: one that counts only after a call, or only before any reasoning and where nothing
 * follows on the line. `length` is that of the marker.
 */
function isText(state: ParserState, at: number, position: MarkerPosition, role: MarkerRole, length: number): boolean {
  const { calls, hasReasoning, scan, behindCall } = state;
  if (role.kind === 'stray-close') return calls === 0 || (role.directly === true && scan.base + at !== behindCall);
  if (role.kind === 'result') return calls === 0;
  if (role.kind !== 'reasoning-close') return false;
  const behind = scan.text.charAt(at + length);
  return hasReasoning || (position === 'anywhere' && behind !== '' && !mayFollowClose(behind));
}

function take(state: ParserState, at: number, { text }: Marker, role: MarkerRole): Passed {
  const { scan, options } = state;
  const { length } = text;
  switch (role.kind) {
    case 'turn-end':
      state.emitTo(at);
      state.text.holdToken(state.take(length), scan.offset - length);
      return 'taken';
    case 'example': {
      const { element } = role;
      if (options.tools.get(element)) return 'unknown';
      if (element === 'code' && scan.text.length < at + length + 2) return 'open';
      state.emitTo(at);
      passExampleTag(state, role, text);
      return 'taken';
    }
    case 'reasoning':
      state.emitTo(at);
      return passWholeReasoning(state, at + length, role.block) ? 'taken' : 'unknown';
    case 'frame':
      return passFrame(state, at, length, role.besideCall);
    default:
      return 'unknown';
  }
}

function passFrame(state: ParserState, at: number, length: number, besideCall: boolean): Passed {
  const { scan } = state;
  if (scan.base + at === state.behindCall) return 'unknown';
  if (besideCall) {
    state.emitTo(at);
    state.text.holdFrame(state.take(length));
    return 'taken';
  }
  let behind = at + length;
  while (behind < scan.text.length && isBlankCode(scan.text.charCodeAt(behind))) behind++;
  // More white space may follow.
  if (behind === scan.text.length) return 'unknown';
  state.emitTo(at);
  scan.at = behind;
  state.passWhitespace(scan.text.slice(at + length, behind));
  return 'taken';
}

/** Consumes, as text, the tag of an element that shows code. `<code>` within a line ends with that line. */
export function passExampleTag(
  state: ParserState,
  { element, opens }: MarkerRole & { kind: 'example' },
  tag: string,
): void {
  const { scan } = state;
  const behind = scan.text.slice(scan.at + tag.length, scan.at + tag.length + 2);
  if (opens) state.openExample(element, element === 'code' && !/^\r?\n/.test(behind));
  else state.closeExample(element);
  state.emitNext(tag.length);
}
