import { describe, expect, test } from 'vitest';
import { countTicks, labelled } from './column-axes.ts';

describe('values beside a chart', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [9, [0, 5, 10]],
    [40, [0, 10, 20, 30, 40]],
    [41, [0, 20, 40, 60]],
    [123_456, [0, 50_000, 100_000, 150_000]],
  ])('up to %d: whole numbers, evenly apart', (most, ticks) => expect(countTicks(most)).toEqual(ticks));

  test('reach what is highest, with few lines, at any scale', () => {
    for (let most = 1; most < 1e15; most = Math.ceil(most * 1.7)) {
      const ticks = countTicks(most);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.every(Number.isInteger)).toBe(true);
    }
  });
});

describe('labels under a chart', () => {
  test('labels are under each column where there is room, and always under the last', () => {
    expect(labelled(['10:00', '10:05', '10:10'], 100).indexes).toEqual([0, 1, 2]);
    for (const band of [1, 3.3, 8, 20, 64]) {
      const labels = Array.from({ length: 90 }, () => 'Nov 23, 14:05');
      const { indexes, half } = labelled(labels, band);
      expect(indexes.at(-1)).toBe(89);
      for (const [i, index] of indexes.slice(1).entries())
        expect((index - (indexes[i] ?? 0)) * band).toBeGreaterThan(2 * half);
    }
  });
});
