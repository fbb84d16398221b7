import { describe, expect, it } from 'vitest';
import { append } from './append.ts';

describe('append', () => {
  it('joins pieces of any length', () => {
    const pieces = Array.from({ length: 3000 }, (_, at) => '✓x'.repeat(at % 7) + at);
    expect(pieces.reduce(append, '')).toBe(pieces.join(''));
  });

  it('SC-008 takes linear time', () => {
    const millis = (count: number): number => {
      const begun = process.cpuUsage();
      let text = '';
      for (let at = 0; at < count; at++) text = append(text, 'some words of text ');
      expect(text.length).toBe(count * 19);
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1000;
    };
    // Twenty times the work, where quadratic is four hundred: CPU time and the best of several runs, since other work
    // may interfere.
    const best = (count: number): number => Math.min(...Array.from({ length: 5 }, () => millis(count)));
    expect(best(400_000)).toBeLessThan(100 * Math.max(1, best(20_000)));
  });
});
