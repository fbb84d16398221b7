import { expect, it } from 'vitest';
import { InFlight } from './in-flight.ts';

it('holds what was added until it is removed, in slots that are reused', () => {
  const inFlight = new InFlight<{ name: string }>();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => inFlight.add({ name })) as [number, number, number];
  expect(inFlight.size).toBe(3);
  inFlight.remove(b);
  expect(inFlight.all()).toEqual([{ name: 'a' }, { name: 'c' }]);
  expect(inFlight.add({ name: 'd' })).toBe(b);
  for (const place of [a, b, c]) inFlight.remove(place);
  expect(inFlight.size).toBe(0);
  expect(inFlight.all()).toEqual([]);
});
