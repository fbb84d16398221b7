import type { ToolTable } from '@callsmith/turn';
import type { Hearing } from '../dialect.ts';
import { OpenTools } from '../open-tools.ts';
import { GaveUp, type Scanner, type Step, unsure } from '../scanner.ts';
import { readArguments } from './arguments.ts';
import { readClose } from './json-calls.ts';

/** Reads the arguments of a call whose name stands before them, up to and with the closer. */
export function* readNamed(
  scan: Scanner,
  hear: Hearing,
  name: string,
  closes: readonly string[],
  takes = closes,
): Step<void> {
  const call = hear.open(name);
  yield* scan.space();
  const next = yield* scan.peek();
  if (next === '' || (yield* anyOf(scan, closes))) {
    if (next === '' && scan.cut) throw new GaveUp('cut');
  } else {
    yield* readArguments(scan, call, closes);
  }
  yield* dropClosers(scan, hear);
  call.close();
  if (takes.length > 0) yield* readClose(scan, hear, takes);
}

function* anyOf(scan: Scanner, words: readonly string[]): Step<boolean> {
  for (const word of words) if (yield* scan.sees(word)) return true;
  return false;
}

/** Brackets behind the complete arguments. */
export function* dropClosers(scan: Scanner, hear: Hearing): Step<void> {
  const next = yield* scan.afterSpace(1);
  if (next !== '}' && next !== ']') return;
  const from = scan.offset;
  yield* scan.space();
  yield* scan.run(/[}\]]/, 64);
  hear.mend('drop-closers', from, scan.offset);
}

/** Looks for `NAME` and `end` behind it, without taking anything: answers with the name if it is on offer. Waits no longer than it may be one. */
export function* offeredAhead(scan: Scanner, hear: Hearing, end: RegExp): Step<string | undefined> {
  const open = hear.tools instanceof OpenTools && !hear.own;
  return yield* scan.look(160, (ahead, all) => {
    const name = /^[\w.:-]*/.exec(ahead)?.[0] ?? '';
    const behind = ahead.slice(name.length);
    if (behind === '' && !all) return beginsName(hear.tools, name) ? unsure : undefined;
    if (!hear.tools.get(name)) return undefined;
    if (!end.test(behind)) return !all && (end.test(`${behind}{`) || end.test(`${behind}\n{`)) ? unsure : undefined;
    if (!open || /^\s*\{\s*["}]/.test(behind)) return name;
    return !all && /^\s*\{\s*$/.test(behind) ? unsure : undefined;
  });
}

/** True if a name on offer begins so. */
export const beginsName = (tools: ToolTable, start: string): boolean =>
  tools instanceof OpenTools || tools.list.some(({ name }) => name.startsWith(start));
