import type { CallBuilder, OpeningMarker } from '../dialect.ts';
import { findOneOf } from '../find.ts';
import { type Scanner, type Step, unsure } from '../scanner.ts';
import { parseCallSyntax } from './call-syntax.ts';
import { isOffered, parseJsonCalls } from './json-calls.ts';

/** A fence whose content is usually not a call. */
const python = '```python';

/**
 * A prefix of a call (printed, assigned or in a list) or of JSON that does not decide yet. No two of its `\s*` are
 * adjacent, so that long white space is matched in linear time.
 */
const mayBeCall = /^(?:\s*[[{]?|s?\s*(?:[A-Za-z_][\w.]*\s*(?:[(=]\s*)?)?(?:\[\s*)?(?:[A-Za-z_][\w.]*)?)\s*$/;

/** Text that may precede a call on its line: `x = `, `print(`, `[`. */
const before = /^(?:[A-Za-z_]\w*\s*=\s*)?(?:print\s*\(\s*)?\[?\s*/;

/**
 * The fences of calls as code: if they are not the dialect's own form, calls after prose count only if none follows.
 */
export const codeFences = (infos: readonly string[], usual: boolean): readonly OpeningMarker[] =>
  infos.flatMap((text): OpeningMarker[] => [
    { text, at: 'line', ...((!usual || text === python) && { onlyAtEnd: 'behind-prose' as const }) },
    { text, at: 'line', onlyAtEnd: 'always' },
  ]);

/** True if code in a fence begins with a call of an offered name, or of any name if a later one must be on offer. */
export const codeCallAhead = (scan: Scanner, builder: CallBuilder): Step<boolean> =>
  scan.look(160, (ahead, all) => {
    if (/^\s*[[{]\s*[{"]/.test(ahead)) return builder.openingMarker.text !== python;
    if (!all && mayBeCall.test(ahead)) return unsure;
    const code = ahead.replace(/^s?\s*/, '');
    const name = /^([A-Za-z_][\w.]*)\s*\(/.exec(code.slice(before.exec(code)?.[0].length))?.[1];
    if (name === undefined) return false;
    return isOffered(builder, name) || builder.openingMarker.onlyAtEnd === 'always';
  });

/** Parses the calls in a fence, from after its opening to the end of the closing one. */
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

/** True if another call follows that is not a `print` of something else. */
const anotherAhead = (scan: Scanner): Step<boolean> =>
  scan.look(160, (ahead, all) => {
    const code = ahead.slice(before.exec(ahead)?.[0].length ?? 0);
    if (/^[A-Za-z_][\w.]*\s*\(/.test(code)) return !/^print\s*\(/.test(code);
    return !all && /^[\w.]*\s*$/.test(code) ? unsure : false;
  });

/** Consumes code between the calls and the fence's end that calls no tool, such as `print(result)`. */
function* skipOtherCode(scan: Scanner): Step<void> {
  scan.markUnlessMarked();
  const from = scan.offset;
  if (!(yield* findOneOf(scan, ['```']))) scan.back(scan.offset - from);
}
