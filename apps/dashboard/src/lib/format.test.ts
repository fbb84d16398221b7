import { expect, test } from 'vitest';
import {
  formatAgo,
  formatBytes,
  formatMicros,
  formatMillis,
  formatMoney,
  formatPoints,
  formatShare,
  formatSpan,
  plural,
} from './format.ts';

const spaced = (text: string) => text.replaceAll('\u00a0', ' ');

test('a share that is only near the edge never reads as the edge', () => {
  expect([0, 0.0004, 0.012, 0.24, 0.996, 0.9996, 1].map((share) => spaced(formatShare(share)))).toEqual([
    '0 %',
    '<0.1 %',
    '1.2 %',
    '24 %',
    '99.6 %',
    '>99.9 %',
    '100 %',
  ]);
});

test('differences carry their sign', () => {
  expect([0.021, -0.3, 0].map((value) => spaced(formatPoints(value)))).toEqual(['+2.1 pp', '−30 pp', '±0 pp']);
});

test('durations and sizes choose their unit', () => {
  expect([420, 1800, 2_400_000].map((us) => spaced(formatMicros(us)))).toEqual(['420 µs', '1.8 ms', '2.4 s']);
  expect([4.26, 250, 90_000].map((ms) => spaced(formatMillis(ms)))).toEqual(['4.3 ms', '250 ms', '1.5 min']);
  expect([900, 1536, 3_145_728].map((bytes) => spaced(formatBytes(bytes)))).toEqual(['900 B', '1.5 KB', '3 MB']);
  expect([59, 3599, 7200, 200_000].map((seconds) => spaced(formatSpan(seconds)))).toEqual([
    '59 s',
    '59 min',
    '2 h',
    '2 d',
  ]);
});

test('an instant ahead reads as ahead', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');
  expect(spaced(formatAgo('2026-01-01T11:59:56Z', now))).toBe('4 s ago');
  expect(spaced(formatAgo('2026-01-01T15:00:00Z', now))).toBe('in 3 h');
  expect(formatAgo('2026-01-01T12:00:00Z', now)).toBe('now');
});

test('one key, two keys', () => {
  expect([plural(1, 'key'), plural(2, 'key'), plural(0, 'entry', 'entries')]).toEqual(['1 key', '2 keys', '0 entries']);
});

test('money is given in millionths; small amounts keep their digits', () => {
  expect(formatMoney(12_345_678, 'USD')).toBe('$12.35');
  expect(formatMoney(1_234, 'EUR')).toBe('€0.0012');
  expect(formatMoney(0, 'USD')).toBe('$0.00');
});
