import { expect, it } from 'vitest';
import { CollectedBytes } from './collected-bytes.ts';

const pieces = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
};

it('collects exactly what came, in chunks of any size', () => {
  for (const size of [1, 2, 3, 5, 100]) {
    const collected = new CollectedBytes({ bytes: 100 });
    for (const piece of pieces('{"é✓😀":[1,2]}', size)) collected.push(piece);
    expect(collected.text()).toBe('{"é✓😀":[1,2]}');
    expect(collected.isTooLong).toBe(false);
  }
  expect(new CollectedBytes({ bytes: 1 }).text()).toBe('');
});

it('beyond the limit nothing is kept, but everything is counted', () => {
  for (const size of [1, 2, 3, 100]) {
    const collected = new CollectedBytes({ bytes: 9 });
    for (const piece of pieces('0123456789', size)) collected.push(piece);
    expect([collected.isTooLong, collected.size, collected.text()]).toEqual([true, 10, '']);
  }
});

it('D-39 too many members are reported by name; without a limit they are not counted', () => {
  const text = JSON.stringify(Array.from({ length: 21 }, () => 1));
  for (const size of [1, 2, 7, 100]) {
    const [bounded, wider, unbounded] = [
      new CollectedBytes({ bytes: 1000, members: { members: 20 } }),
      new CollectedBytes({ bytes: 1000, members: { members: 21 } }),
      new CollectedBytes({ bytes: 1000 }),
    ];
    for (const piece of pieces(text, size)) for (const one of [bounded, wider, unbounded]) one.push(piece);
    expect(bounded.tooManyMembers).toBe('20 object members and array elements');
    expect(wider.tooManyMembers).toBeUndefined();
    expect(unbounded.tooManyMembers).toBeUndefined();
  }
});
