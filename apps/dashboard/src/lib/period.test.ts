import { expect, test } from 'vitest';
import { boundsOf, periodOf, periodQuery } from './period.ts';

const read = (query: string) => periodOf(new URLSearchParams(query));

test('an address names a range or two instants, and nonsense is the default', () => {
  expect(read('range=7d')).toEqual({ range: '7d' });
  expect(read('range=toString')).toEqual({ range: '24h' });
  expect(read('')).toEqual({ range: '24h' });
  expect(read('from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z&range=7d')).toEqual({
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-01T01:00:00Z',
  });
  expect(read('from=yesterday&to=2026-01-01T01:00:00Z')).toEqual({ range: '24h' });
});

test('a relative range moves with the clock, a fixed one does not', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  expect(boundsOf({ range: '24h' }, now)).toEqual({ from: '2026-01-01T00:00:00.000Z' });
  expect(boundsOf({ from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' }, now)).toEqual({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-01T01:00:00.000Z',
  });
});

test('a relative range begins where a bucket of the roll-ups begins, so that all screens count the same', () => {
  const now = Date.parse('2026-03-09T10:22:33.444Z');
  expect(boundsOf({ range: '1h' }, now)).toEqual({ from: '2026-03-09T09:22:00.000Z' });
  expect(boundsOf({ range: '24h' }, now)).toEqual({ from: '2026-03-08T10:22:00.000Z' });
  expect(boundsOf({ range: '7d' }, now)).toEqual({ from: '2026-03-02T10:15:00.000Z' });
  expect(boundsOf({ range: '30d' }, now)).toEqual({ from: '2026-02-07T10:15:00.000Z' });
});

test('what is written to an address reads back', () => {
  for (const period of [{ range: '1h' } as const, { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' }])
    expect(periodOf(new URLSearchParams(periodQuery(period)))).toEqual(period);
});
