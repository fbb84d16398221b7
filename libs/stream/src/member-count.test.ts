import { seeded } from '@callsmith/testing';
import type { JsonValue } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { MemberCount } from './member-count.ts';

/** Members and elements of a parsed value, at all depths. */
function membersOf(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce((sum: number, one) => sum + membersOf(one), inner.length);
}

/** The smallest limit that a text does not exceed. */
function counted(text: string, size: number): number {
  let [low, high] = [0, 10_000];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (exceeds(text, size, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function exceeds(text: string, size: number, members: number, numbers?: number): boolean {
  const count = new MemberCount({ members, ...(numbers !== undefined && { numbers }) });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) count.push(bytes.subarray(at, at + size));
  return count.exceeded !== undefined;
}

function anyValue(next: () => number, depth: number): JsonValue {
  const kind = Math.floor(next() * (depth > 4 ? 5 : 8));
  const many = Math.floor(next() * 5);
  switch (kind) {
    case 0:
      return next() < 0.5 ? -12.5e3 : 7;
    case 1:
      return ['', 'a,b:[{', '"', '\\', '\\"', '}]\\\\"x', 'é"✓\\'][Math.floor(next() * 7)] as string;
    case 2:
      return true;
    case 3:
      return null;
    case 4:
      return [];
    case 5:
      return {};
    case 6:
      return Array.from({ length: many }, () => anyValue(next, depth + 1));
    default:
      return Object.fromEntries(Array.from({ length: many }, (_, at) => [`k"${at}\\`, anyValue(next, depth + 1)]));
  }
}

describe('D-39 members are counted while the bytes arrive', () => {
  it('as many as parsing finds, in chunks of any size', () => {
    const next = seeded(5);
    for (let round = 0; round < 300; round++) {
      const value = anyValue(next, 0);
      const text = JSON.stringify(value, undefined, round % 3);
      for (const size of [1, 2, 3, 7, 1000]) expect(counted(text, size), text).toBe(membersOf(value));
    }
  });

  it('numbers in arrays are counted separately if they have their own limit', () => {
    const text = JSON.stringify({ model: 'm', input: [[1, -2, 3.5], [], [4]], n: 1 });
    for (const size of [1, 5, 1000]) {
      expect(exceeds(text, size, 6, 4)).toBe(false);
      expect(exceeds(text, size, 5, 4)).toBe(true);
      expect(exceeds(text, size, 6, 3)).toBe(true);
      expect(exceeds(text, size, 9)).toBe(true);
    }
  });

  it('new names have their own limit', () => {
    const bounds = { members: 1_000_000, names: 1000 };
    const exceeded = (text: string, size = 100_000): string | undefined => {
      const count = new MemberCount(bounds);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += size) count.push(bytes.subarray(at, at + size));
      return count.exceeded;
    };
    const names = (count: number): string =>
      Array.from({ length: count }, (_, at) => `"name ${at}" : "n:${at}"`).join();
    expect(exceeded(`{${names(990)}}`)).toBeUndefined();
    expect(exceeded(`{${names(1010)}}`)).toBe('1,000 different names of object members');
    expect(exceeded(`[${Array.from({ length: 1010 }, (_, at) => `{"n${at}":1}`).join()}]`)).toContain('names');
    const few = Array.from({ length: 300 }, (_, at) => `{${names(60).replaceAll('name', `of ${at % 8}`)}}`).join();
    for (const size of [4_000, 100_000]) expect(exceeded(`[${few}]`, size)).toBeUndefined();
    expect(exceeded(`[${Array.from({ length: 5000 }, (_, at) => `"a ${at}"`).join()}]`, 7)).toBeUndefined();
  });

  it('a long run of backslashes is scanned once', () => {
    const text = `["${'\\\\'.repeat(200_000)}",${'"\\"",'.repeat(20)}1]`;
    for (const size of [3, 4096, 1_000_000]) expect(counted(text, size)).toBe(22);
  });
});
