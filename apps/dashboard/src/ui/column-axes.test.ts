import { describe, expect, test } from 'vitest';
import { countTicks, timeLabels } from './column-axes.ts';

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
  const hour = 3_600_000;
  /** `count` columns of `step` seconds from a local time on, `band` pixels each. */
  const from = (local: string, count: number, step: number, band: number) => {
    const starts = Array.from({ length: count }, (_, i) => new Date(local).getTime() + i * step * 1000);
    return { starts, ...timeLabels(starts, step, band) };
  };
  const texts = ({ labels }: ReturnType<typeof timeLabels>) => labels.map(({ text }) => text);

  test('are under each column where there is room', () => {
    expect(texts(from('2026-11-23T10:00', 3, 300, 100))).toEqual(['10:00', '10:05', '10:10']);
  });

  test('stand at full hours of a day, and at days of a week', () => {
    expect(texts(from('2026-11-27T05:00', 96, 900, 11))).toEqual([
      '06:00',
      '08:00',
      '10:00',
      '12:00',
      '14:00',
      '16:00',
      '18:00',
      '20:00',
      '22:00',
      '00:00',
      '02:00',
      '04:00',
    ]);
    expect(texts(from('2026-11-21T05:00', 84, 7200, 12))).toEqual([
      '22 Nov',
      '23 Nov',
      '24 Nov',
      '25 Nov',
      '26 Nov',
      '27 Nov',
      '28 Nov',
    ]);
    // Columns that start beside the hour carry its label with the time at which they start.
    expect(texts(from('2026-11-27T05:07', 24, 900, 30))).toEqual([
      '05:52',
      '06:52',
      '07:52',
      '08:52',
      '09:52',
      '10:52',
    ]);
  });

  test('the last column has one where no moment of the scale is reached', () => {
    expect(texts(from('2026-11-27T05:07', 3, 60, 1))).toEqual(['05:09']);
    expect(timeLabels([], 60, 10).labels).toEqual([]);
  });

  test('never touch, at any step and width', () => {
    for (const step of [60, 300, 900, 7200, 21_600, 86_400])
      for (const band of [1, 3.3, 8, 20, 64]) {
        const { labels, half, starts } = from('2026-11-23T14:05', 90, step, band);
        expect(labels.length).toBeGreaterThan(0);
        for (const [i, { index }] of labels.slice(1).entries()) {
          const apart = (index - (labels[i]?.index ?? 0)) * band;
          // An hour may be lost between two days.
          expect(apart + (hour / (step * 1000)) * band, `${step} ${band} ${starts[index]}`).toBeGreaterThan(2 * half);
        }
      }
  });
});
