import type { Hearing } from '../dialect.ts';
import { OpenTools } from '../open-tools.ts';
import { GaveUp, type Scanner, type Step } from '../scanner.ts';
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

/** Looks for `NAME` and one of `ends` behind it, without taking anything: answers with the name if it is on offer. */
export function* offeredAhead(scan: Scanner, hear: Hearing, end: RegExp): Step<string | undefined> {
  let length = 48;
  for (;;) {
    const ahead = yield* scan.ahead(length);
    const name = /^[\w.:-]+/.exec(ahead)?.[0];
    if (name === undefined) return undefined;
    const behind = ahead.slice(name.length);
    if (behind.length >= 8 || ahead.length < length) {
      if (hear.tools instanceof OpenTools && !hear.own && !/^\s*\{\s*["}]/.test(behind)) return undefined;
      return end.test(behind) && hear.tools.get(name) ? name : undefined;
    }
    if (length > 160) return undefined;
    length += 48;
  }
}
