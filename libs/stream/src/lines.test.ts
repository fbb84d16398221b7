import type { Fault } from '@callsmith/turn';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lines } from './lines.ts';

function linesOf(pieces: readonly string[], limit?: number): { out: string[]; fault: Fault | undefined } {
  const out: string[] = [];
  let fault: Fault | undefined;
  const sink = lines(limit)({
    push: (line) => out.push(line),
    flush: () => {},
    end: (given) => {
      fault = given;
    },
  });
  for (const piece of pieces) sink.push(piece);
  sink.end();
  return { out, fault };
}

it('gives the same lines however the text is split, with either line ending, and an unterminated last one', () => {
  const text = fc.array(fc.string({ unit: fc.constantFrom('a', '{', '}', ' ', 'é', '😀', '\t') }), { maxLength: 8 });
  fc.assert(
    fc.property(
      text,
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.infiniteStream(fc.nat(5)),
      (all, end, ended, cuts) => {
        const whole = all.join(end) + (ended ? end : '');
        const pieces: string[] = [];
        for (let at = 0; at < whole.length; ) {
          const size = 1 + (cuts.next().value as number);
          pieces.push(whole.slice(at, at + size));
          at += size;
        }
        expect(linesOf(pieces).out).toEqual(all.filter((line) => line.trim() !== ''));
      },
    ),
  );
});

it('ends an endless line with a fault, and emits nothing more', () => {
  const { out, fault } = linesOf(['ok\n', 'x'.repeat(60), 'y'.repeat(60), '\nlater\n'], 100);
  expect(out).toEqual(['ok']);
  expect(fault?.message).toContain('a line of more than 100 characters');
});
