import { expect, it } from 'vitest';
import { timeParts } from './time-parts.ts';

it.each([
  ['a stream', { addedUs: 1_500, firstTokenMs: 40, totalMs: 400 }, { ours: 1.5, wait: 38.5, response: 360 }],
  [
    'a correction behind the first token',
    { addedUs: 36_000, firstTokenMs: 7, totalMs: 67 },
    { ours: 36, wait: 0, response: 31 },
  ],
  ['no figure of our work', { addedUs: null, firstTokenMs: 40, totalMs: 100 }, { ours: null, wait: 40, response: 60 }],
])('with %s the parts add up to the whole', (_, turn, parts) => {
  expect(timeParts(turn)).toEqual(parts);
  expect((parts.ours ?? 0) + parts.wait + parts.response).toBe(turn.totalMs);
});

it('without a first token only our own work is known', () => {
  expect(timeParts({ addedUs: 2_000, firstTokenMs: null, totalMs: 30 })).toEqual({
    ours: 2,
    wait: null,
    response: null,
  });
});
