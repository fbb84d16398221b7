import { describe, expect, it } from 'vitest';
import { append } from './append.ts';

describe('append', () => {
  it('joins pieces of any length', () => {
    const pieces = Array.from({ length: 3000 }, (_, at) => '✓x'.repeat(at % 7) + at);
    expect(pieces.reduce(append, '')).toBe(pieces.join(''));
  });

  it('SC-008 takes linear time', () => {
    const millis = (count: number): number => {
      const begun = performance.now();
      let text = '';
      for (let at = 0; at < count; at++) text = append(text, 'some words of text ');
      expect(text.length).toBe(count * 19);
      return performance.now() - begun;
    };
    millis(20_000);
    expect(millis(400_000)).toBeLessThan(60 * Math.max(1, millis(20_000)));
  });
});
