import { type Step, unsure } from '../scanner.ts';
import { fencedCalls } from './fenced-calls.ts';
import type { MarkerRole } from './marker-set.ts';
import type { FenceChar, ParserState } from './parser-state.ts';

/** A run of backticks was passed in a line: inline code begins or ends, unless a code block is open. */
export function passBackticks(state: ParserState, run: number): void {
  state.passVisible();
  if (state.fence > 0) return;
  if (state.inlineCode === 0) state.inlineCode = run;
  else if (state.inlineCode === run) state.inlineCode = 0;
}

/** Takes the tag of an element in which a document shows code, as text. In a line `<code>` ends with it. */
export function* passExampleTag(
  state: ParserState,
  { element, opens }: MarkerRole & { kind: 'example' },
  tag: string,
): Step<void> {
  const isInline = element === 'code' && !/^\r?\n/.test((yield* state.scan.ahead(tag.length + 2)).slice(tag.length));
  if (opens) state.openExample(element, isInline);
  else state.closeExample(element);
  state.emitNext(tag.length);
}

/** Takes a run of backticks in a line as text. */
export function* parseInlineBackticks(state: ParserState): Step<void> {
  const { scan } = state;
  let run = 1;
  while ((yield* scan.ahead(run + 1)).endsWith('`') && scan.text.length - scan.at > run && run < 64) run++;
  passBackticks(state, run);
  state.emitNext(run);
}

/** Takes a line's beginning of three backticks or tildes or more: a block opens or closes, or a fence stands directly round a call. */
export function* parseFence(state: ParserState): Step<void> {
  const { scan } = state;
  const char = scan.text[scan.at] as FenceChar;
  let run = 3;
  while ((yield* scan.ahead(run + 1)).length > run && scan.text[scan.at + run] === char && run < 64) run++;
  const opens = state.fence === 0;
  if (opens && state.tries.mayTry(scan.offset) && (yield* fencedCalls(state, char.repeat(run)))) return;
  if (opens) state.openFence(char, run);
  else if (char === state.fenceChar && run >= state.fence) state.passFence(yield* languageAhead(state, run));
  state.lineStart = false;
  state.emitNext(run);
}

/** True if a language stands behind the fence, alone on its line: in a block, the fence opens another one that is part of its text. */
const languageAhead = ({ scan }: ParserState, run: number): Step<boolean> =>
  scan.look(run + 48, (ahead, all) => {
    const behind = ahead.slice(run);
    if (/^[ \t]{0,8}[A-Za-z][\w+#.-]{0,31}[ \t]{0,8}\r?\n/.test(behind)) return true;
    return !all && /^[ \t]{0,8}(?:[A-Za-z][\w+#.-]{0,31}[ \t]{0,8}\r?)?$/.test(behind) ? unsure : false;
  });
