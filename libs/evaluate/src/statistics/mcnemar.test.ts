import { expect, it } from 'vitest';
import { mcnemar } from './mcnemar.ts';

// Tables of the two-sided binomial test with p = 1/2 (e.g. Siegel 1956, table D, doubled).
it.each([
  [6, 0, 0.03125],
  [5, 0, 0.0625],
  [8, 1, 0.0390625],
  [7, 1, 0.0703125],
  [10, 2, 0.03857421875],
  [9, 2, 0.0654296875],
  [15, 5, 0.04138946533203125],
])('of %i:%i pairs is the published p', (wins, losses, p) => {
  expect(mcnemar(wins, losses)).toBeCloseTo(p, 12);
  expect(mcnemar(losses, wins)).toBe(mcnemar(wins, losses));
});

it('never exceeds 1, and is 1 without differences', () => {
  expect(mcnemar(0, 0)).toBe(1);
  expect(mcnemar(3, 3)).toBe(1);
  expect(mcnemar(400, 300)).toBeCloseTo(0.00018, 5);
});
