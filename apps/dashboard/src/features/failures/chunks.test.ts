import { expect, test } from 'vitest';
import { chunkCount, firstChunks } from './chunks.ts';

const choice = (index: number, text: string, cuts: number[], fragments: unknown[] = []) => ({
  choice: index,
  text,
  reasoning: '',
  cuts,
  fragments,
});

test('an answer is replayed chunk by chunk: its text, then its native calls, then the next choice', () => {
  const raw = [choice(0, 'I read it', [2, 7, 9], [{ name: 'f' }, { arguments: '{}' }]), choice(1, 'Hm', [2])];
  expect(chunkCount(raw)).toBe(6);
  const after = (n: number) => firstChunks(raw, n).map(({ text, fragments }) => [text, fragments.length]);
  expect(after(0)).toEqual([]);
  expect(after(1)).toEqual([['I ', 0]]);
  expect(after(3)).toEqual([['I read it', 0]]);
  expect(after(5)).toEqual([['I read it', 2]]);
  expect(after(6)).toEqual([
    ['I read it', 2],
    ['Hm', 0],
  ]);
});

test('of a long text of which less was kept, what was kept is shown', () => {
  expect(firstChunks([choice(0, 'short', [3, 5, 900])], 3)[0]?.text).toBe('short');
});
