import { expect, it } from 'vitest';
import { newcombe } from './newcombe.ts';

// The examples of Newcombe's table II, method 10.
it.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [10, 10, 0, 20, 0.6791, 1],
])('%i of %i minus %i of %i lies between %f and %f', (k, n, otherK, otherN, low, high) => {
  const found = newcombe({ k, n }, { k: otherK, n: otherN });
  expect(found?.low).toBeCloseTo(low, 4);
  expect(found?.high).toBeCloseTo(high, 4);
});

it('without observations there is nothing to compare', () => {
  expect(newcombe({ k: 0, n: 0 }, { k: 1, n: 2 })).toBeNull();
});
