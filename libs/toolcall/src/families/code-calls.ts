import type { CallBuilder, OpeningMarker } from '../dialect.ts';
import { findOneOf } from '../find.ts';
import { type Scanner, type Step, unsure } from '../scanner.ts';
import { parseCallSyntax } from './call-syntax.ts';
import { isOffered, parseJsonCalls } from './json-calls.ts';

/** A fence in which most of what stands is no call. */
const python = '```python';

/** The beginning of a call, printed, assigned or in a list, or of JSON, that has not come to what tells. No two of its spaces stand side by side: a long row of them is looked at once. */
const mayBeCall = /^(?:\s*[[{]?|s?\s*(?:[A-Za-z_][\w.]*\s*(?:[(=]\s*)?)?(?:\[\s*)?(?:[A-Za-z_][\w.]*)?)\s*$/;

/** What may stand before a call on its line: `x = `, `print(`, `[`. */
const before = /^(?:[A-Za-z_]\w*\s*=\s*)?(?:print\s*\(\s*)?\[?\s*/;

/** The fences of calls as code: where they are not the dialect's own way, they count behind prose only if none follows. */
export const codeFences = (infos: readonly string[], usual: boolean): readonly OpeningMarker[] =>
  infos.flatMap((text): OpeningMarker[] => [
    { text, at: 'line', ...((!usual || text === python) && { onlyAtEnd: 'behind-prose' as const }) },
    { text, at: 'line', onlyAtEnd: 'always' },
  ]);

/** True if code in a fence begins with a call of an offered name, with any name where one behind it has to be on offer. */
export const codeCallAhead = (scan: Scanner, builder: CallBuilder): Step<boolean> =>
  scan.look(160, (ahead, all) => {
    if (/^\s*[[{]\s*[{"]/.test(ahead)) return builder.openingMarker.text !== python;
    if (!all && mayBeCall.test(ahead)) return unsure;
    const code = ahead.replace(/^s?\s*/, '');
    const name = /^([A-Za-z_][\w.]*)\s*\(/.exec(code.slice(before.exec(code)?.[0].length))?.[1];
    if (name === undefined) return false;
    return isOffered(builder, name) || builder.openingMarker.onlyAtEnd === 'always';
  });

/** Reads the calls in a fence from behind its opening to the end of the closing one. */
export function* parseCodeCalls(scan: Scanner, builder: CallBuilder): Step<void> {
  yield* scan.takeText('s');
  yield* scan.space();
  if (/^[[{]\s*[{"]/.test(yield* scan.ahead(8))) {
    yield* parseJsonCalls(scan, builder, {
      nameKey: 'name',
      argumentsKey: 'arguments',
      closingMarkers: ['```'],
      unmarked: true,
    });
    yield* scan.space();
  } else {
    do {
      const from = scan.offset;
      const head = before.exec(yield* scan.ahead(96))?.[0] ?? '';
      scan.at += head.length;
      yield* parseCallSyntax(scan, builder, ['```']);
      if (head.includes('print')) {
        yield* scan.space();
        yield* scan.takeText(')');
      }
      builder.setRange(from);
      yield* scan.run(/[\s)\],;]/, 64);
    } while (yield* anotherAhead(scan));
    yield* skipOtherCode(scan);
  }
  if (!(yield* scan.takeText('```'))) builder.repair('close-wrapper', scan.offset, scan.offset);
}

/** True if another call follows, and no `print` of something else. */
const anotherAhead = (scan: Scanner): Step<boolean> =>
  scan.look(160, (ahead, all) => {
    const code = ahead.slice(before.exec(ahead)?.[0].length ?? 0);
    if (/^[A-Za-z_][\w.]*\s*\(/.test(code)) return !/^print\s*\(/.test(code);
    return !all && /^[\w.]*\s*$/.test(code) ? unsure : false;
  });

/** Takes what stands between the calls and the fence's end and calls nothing, such as `print(result)`. */
function* skipOtherCode(scan: Scanner): Step<void> {
  scan.markUnlessMarked();
  const from = scan.offset;
  if (!(yield* findOneOf(scan, ['```']))) scan.back(scan.offset - from);
}
