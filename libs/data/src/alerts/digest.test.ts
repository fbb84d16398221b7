import { expect, it } from 'vitest';
import { digestIsDue } from './digest.ts';

const due = (since: string, now: string, timeZone = 'UTC') => digestIsDue(new Date(since), new Date(now), timeZone);

it.each<[string, string, string, boolean]>([
  // 2027-01-11 is a Monday.
  ['2027-01-06T12:00:00Z', '2027-01-11T07:59:59Z', 'UTC', false],
  ['2027-01-06T12:00:00Z', '2027-01-11T08:00:00Z', 'UTC', true],
  ['2027-01-11T08:00:00Z', '2027-01-18T07:59:00Z', 'UTC', false],
  ['2027-01-11T08:00:00Z', '2027-01-18T08:00:00Z', 'UTC', true],
  ['2027-01-06T12:00:00Z', '2027-01-11T06:59:00Z', 'Europe/Zurich', false],
  ['2027-01-06T12:00:00Z', '2027-01-11T07:00:00Z', 'Europe/Zurich', true],
  ['2027-01-06T12:00:00Z', '2027-01-10T23:00:00Z', 'Asia/Tokyo', true],
  // A gateway that was suspended over a Monday, or over several.
  ['2027-01-06T12:00:00Z', '2027-01-13T03:00:00Z', 'UTC', true],
  ['2027-01-06T12:00:00Z', '2027-03-03T03:00:00Z', 'UTC', true],
  // Across a change of year and of daylight saving time.
  ['2026-12-28T09:00:00Z', '2027-01-03T23:00:00Z', 'UTC', false],
  ['2026-12-28T09:00:00Z', '2027-01-04T09:00:00Z', 'UTC', true],
])('a digest since %s is due at %s (%s): %s', (since, now, timeZone, expected) => {
  expect(due(since, now, timeZone)).toBe(expected);
});

it('a clock that goes back causes no digest', () => {
  expect(due('2027-01-18T09:00:00Z', '2027-01-11T07:00:00Z')).toBe(false);
});
