import { describe, expect, it } from 'vitest';
import { isAccepted } from './accepted.ts';
import type { AcceptedCall } from './recording.ts';

const call = (name: string, args: unknown) => ({ name, arguments: JSON.stringify(args) });
const by =
  (rules: 'bfcl' | 'exact', ...calls: AcceptedCall[]) =>
  (...made: ReturnType<typeof call>[]): boolean =>
    isAccepted(made, { kind: 'calls', calls, rules });

describe("by BFCL's rules", () => {
  const book = by('bfcl', {
    name: 'book',
    arguments: {
      city: ['New York, NY'],
      guests: [2, 3],
      note: ['late', ''],
      legs: [[{ to: ['Rome'], by: ['air', ''] }]],
    },
  });
  const right = { city: 'new york ny', guests: 3, legs: [{ to: 'rome' }] };

  it('strings are compared without case, spaces and punctuation, and any accepted value matches', () => {
    expect(book(call('book', right))).toBe(true);
    expect(book(call('book', { ...right, guests: 4 }))).toBe(false);
    expect(book(call('book', { ...right, guests: '3' }))).toBe(false);
  });

  it('only an argument that "" is accepted for may be omitted, and none may be invented', () => {
    expect(book(call('book', { ...right, note: 'Late' }))).toBe(true);
    expect(book(call('book', { city: right.city, guests: 2 }))).toBe(false);
    expect(book(call('book', { ...right, extra: 1 }))).toBe(false);
    expect(book(call('book', { ...right, legs: [{ by: 'air' }] }))).toBe(false);
    expect(book(call('book', { ...right, legs: [] }))).toBe(false);
  });
});

it('calls count in any order, each once', () => {
  const two = by('bfcl', { name: 'f', arguments: { a: [1] } }, { name: 'f', arguments: { a: [2] } });
  expect(two(call('f', { a: 2 }), call('f', { a: 1 }))).toBe(true);
  expect(two(call('f', { a: 1 }), call('f', { a: 1 }))).toBe(false);
  expect(two(call('f', { a: 1 }))).toBe(false);
});

it('exact values are compared byte by byte, and anything but a JSON object is wrong', () => {
  const one = by('exact', { name: 'f', arguments: { a: ['X y'] } });
  expect(one(call('f', { a: 'X y' }))).toBe(true);
  expect(one(call('f', { a: 'x y' }))).toBe(false);
  expect(one({ name: 'f', arguments: '{"a":' }, call('f', { a: 'X y' }))).toBe(false);
  expect(one({ name: 'f', arguments: '["X y"]' })).toBe(false);
});
