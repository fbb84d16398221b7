import { expect, test } from 'vitest';
import { judged, malformed } from './outcomes.ts';

test('the malformed rate counts repaired and failed over all that had a call', () => {
  const counts = { clean: 6, repaired: 1, failed: 3, none: 90 };
  expect(judged(counts)).toBe(10);
  expect(malformed(counts)).toBe(0.4);
  expect(malformed({ clean: 0, repaired: 0, failed: 0, none: 4 })).toBeNull();
});
