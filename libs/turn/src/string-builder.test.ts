import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StringBuilder } from './string-builder.ts';

describe('StringBuilder', () => {
  it('joins pieces of any length', () => {
    const pieces = Array.from({ length: 3000 }, (_, at) => '✓x'.repeat(at % 7) + at);
    const builder = new StringBuilder();
    for (const piece of pieces) builder.push(piece);
    expect(builder.length).toBe(pieces.join('').length);
    expect(builder.text()).toBe(pieces.join(''));
  });

  it('does with pieces, last characters and clearing what a string does', () => {
    const step = fc.oneof(
      fc.record({ act: fc.constant('push' as const), piece: fc.string({ maxLength: 300 }) }),
      fc.record({ act: fc.constant('last' as const), length: fc.nat(400) }),
      fc.record({ act: fc.constant('takeLast' as const), length: fc.nat(400) }),
      fc.record({ act: fc.constant('text' as const) }),
      fc.record({ act: fc.constant('clear' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const builder = new StringBuilder();
        let text = '';
        for (const step of steps) {
          if (step.act === 'push') {
            builder.push(step.piece);
            text += step.piece;
          } else if (step.act === 'clear') {
            builder.clear();
            text = '';
          } else if (step.act === 'text') expect(builder.text()).toBe(text);
          else {
            const at = Math.max(0, text.length - step.length);
            expect(builder[step.act](step.length)).toBe(text.slice(at));
            if (step.act === 'takeLast') text = text.slice(0, at);
          }
          expect(builder.length).toBe(text.length);
        }
        expect(builder.text()).toBe(text);
      }),
    );
  });

  it('SC-008 takes linear time', () => {
    const millis = (count: number): number => {
      const begun = process.cpuUsage();
      const builder = new StringBuilder();
      for (let at = 0; at < count; at++) builder.push('some words of text ');
      expect(builder.text().length).toBe(count * 19);
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1000;
    };
    // Twenty times the work, where quadratic is four hundred: CPU time and the best of several runs, since other work
    // may interfere.
    const best = (count: number): number => Math.min(...Array.from({ length: 5 }, () => millis(count)));
    expect(best(400_000)).toBeLessThan(100 * Math.max(1, best(20_000)));
  });
});
