import { expect, test } from 'vitest';
import { judged, malformedRate } from './outcomes.ts';

test('the malformed rate counts repaired, invalid and failed over all that had a call', () => {
  const counts = { clean: 6, repaired: 1, invalid: 1, failed: 2, none: 90 };
  expect(judged(counts)).toBe(10);
  expect(malformedRate(counts)).toBe(0.4);
  expect(malformedRate({ clean: 0, repaired: 0, invalid: 0, failed: 0, none: 4 })).toBeNull();
});
