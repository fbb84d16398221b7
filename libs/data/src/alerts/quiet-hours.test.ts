import { expect, it } from 'vitest';
import { isQuiet } from './quiet-hours.ts';

const quietAt = (from: string, to: string, timeZone: string) => (at: string) =>
  isQuiet({ from, to }, timeZone, new Date(at));

it('quiet hours over midnight begin and end by the clock of their time zone', () => {
  const quiet = quietAt('22:00', '07:00', 'Europe/Zurich');
  expect(
    ['2026-01-10T20:59:59Z', '2026-01-10T21:00:00Z', '2026-01-11T00:00:00Z', '2026-01-11T05:59:59Z'].map(quiet),
  ).toEqual([false, true, true, true]);
  expect(quiet('2026-01-11T06:00:00Z')).toBe(false);
  // An hour earlier in summer.
  expect(['2026-07-10T19:59:00Z', '2026-07-10T20:00:00Z', '2026-07-11T05:00:00Z'].map(quiet)).toEqual([
    false,
    true,
    false,
  ]);
});

it('quiet hours within a day', () => {
  const quiet = quietAt('00:00', '08:30', 'UTC');
  expect(['2026-01-10T00:00:00Z', '2026-01-10T08:29:00Z', '2026-01-10T08:30:00Z'].map(quiet)).toEqual([
    true,
    true,
    false,
  ]);
});

it('without quiet hours no hour is quiet', () => {
  expect(isQuiet(null, 'UTC', new Date())).toBe(false);
});
