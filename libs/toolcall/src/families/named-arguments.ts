import type { ToolTable } from '@callsmith/turn';
import type { CallBuilder } from '../dialect.ts';
import { OpenTools } from '../open-tools.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';
import { parseArguments } from './arguments.ts';
import { parseClosingMarker } from './json-calls.ts';

/** Parses the arguments of a call whose name precedes them, up to and including the closing marker. */
export function* parseNamedArguments(
  scan: Scanner,
  builder: CallBuilder,
  name: string,
  closes: readonly string[],
  takes = closes,
): Step<void> {
  const call = builder.open(name);
  yield* scan.space();
  const next = yield* scan.peek();
  if (next === '' || (yield* anyOf(scan, closes))) {
    if (next === '' && scan.cut) throw new ParseFailure('cut');
  } else {
    yield* parseArguments(scan, call, closes);
  }
  yield* dropClosers(scan, builder);
  call.close();
  if (takes.length > 0) yield* parseClosingMarker(scan, builder, takes);
}

function* anyOf(scan: Scanner, markers: readonly string[]): Step<boolean> {
  for (const marker of markers) if (yield* scan.isAhead(marker)) return true;
  return false;
}

/** Drops surplus brackets after the complete arguments. */
export function* dropClosers(scan: Scanner, builder: CallBuilder): Step<void> {
  const next = yield* scan.afterSpace(1);
  if (next !== '}' && next !== ']') return;
  const from = scan.offset;
  yield* scan.space();
  yield* scan.run(/[}\]]/, 64);
  builder.repair('drop-closers', from, scan.offset);
}

/** What may complete the begin of an object, or of a fence before one. */
const completions = ['{', '\n{', '`{', '``{', 'son{', 'on{', 'n{'];

/**
 * Looks for `NAME` followed by `end`, without consuming anything; returns the name if it is on offer. Waits only while
 * it still may be one.
 */
export function* offeredNameAhead(scan: Scanner, builder: CallBuilder, end: RegExp): Step<string | undefined> {
  const open = builder.tools instanceof OpenTools && !builder.own;
  return yield* scan.look(160, (ahead, all) => {
    const name = /^[\w.:-]*/.exec(ahead)?.[0] ?? '';
    const behind = ahead.slice(name.length);
    if (behind === '' && !all) return beginsName(builder.tools, name) ? unsure : undefined;
    if (!builder.tools.get(name)) return undefined;
    if (!end.test(behind)) return !all && completions.some((rest) => end.test(behind + rest)) ? unsure : undefined;
    if (!open || /^\s*\{\s*["}]/.test(behind)) return name;
    return !all && /^\s*\{\s*$/.test(behind) ? unsure : undefined;
  });
}

/** True if a name on offer begins with `start`. */
export const beginsName = (tools: ToolTable, start: string): boolean =>
  tools instanceof OpenTools || tools.list.some(({ name }) => name.startsWith(start));
