import { cpuMs } from '@callsmith/testing';
import { expect, it } from 'vitest';
import { recordedBody, recordedPieces } from './storable.ts';

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

it('D-39 of millions of members in foreign fields of a response the beginning is kept, and all texts and calls', () => {
  const extra = { logprobs: Array.from({ length: 3_000_000 }, (_, at) => (at % 2 ? { token: 'a' } : at)) };
  const call = { id: 'a', name: 'git_status', arguments: '{}' };
  const started = cpuMs();
  const { delivered } = recordedBody({
    clientRequest: null,
    upstreamRequest: null,
    raw: [],
    delivered: [
      { text: 'one', calls: [call], extra },
      { text: 'two', calls: [], extra },
    ],
    notes: [],
    settings: {},
  });
  expect(cpuMs() - started).toBeLessThan(1000);
  const [one, two] = delivered as { extra: typeof extra }[];
  expect(one).toMatchObject({ text: 'one', calls: [call] });
  expect(two).toMatchObject({ text: 'two' });
  expect(one?.extra.logprobs.slice(0, 4)).toEqual([0, { token: 'a' }, 2, { token: 'a' }]);
  expect(JSON.stringify(delivered).length).toBeLessThan(2_000_000);
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
