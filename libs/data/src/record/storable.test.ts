import { cpuMs } from '@callsmith/testing';
import { expect, it } from 'vitest';
import { recordedPieces } from './storable.ts';

const bound = 1024 * 1024;
const argumentsOf = (pieces: readonly unknown[]): string[] =>
  recordedPieces(pieces).map((piece) => (piece as { arguments: string }).arguments);
const cut = (text: string, size: number, index = 0): object[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => ({
    index,
    arguments: text.slice(at * size, at * size + size),
  }));

it('D-39 of call fragments no more is kept, or processed, than of any other body', () => {
  for (const size of [4096, 15 * bound]) {
    const text = "'bearer basic ".repeat(Math.ceil((15 * bound) / 14));
    const started = cpuMs();
    const kept = argumentsOf([...cut(text, size), ...cut(text, size, 1)]).join('');
    expect(cpuMs() - started).toBeLessThan(1000);
    expect(kept === text.slice(0, bound)).toBe(true);
  }
});

it('security 20: a secret at the limit is masked, wherever the fragments are split', () => {
  const secret = `sk-${'a1B2'.repeat(12)}`;
  for (const size of [512, 1000, 4096, 2 * bound])
    for (const before of [10, 20, 51]) {
      const text = `${'x '.repeat(bound / 2).slice(before)}${secret} ${'y '.repeat(bound)}`;
      const kept = argumentsOf(cut(text, size)).join('');
      expect([kept.length, kept.includes('sk-'), kept.endsWith('•')]).toEqual([bound, false, true]);
    }
});
