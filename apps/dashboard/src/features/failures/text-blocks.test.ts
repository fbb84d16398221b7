import { expect, it } from 'vitest';
import { textBlocks } from './text-blocks.ts';

it.each([
  ['nothing', '', 0],
  ['a short text', 'a\nb\n', 1],
  ['many lines', 'a line of some words\n'.repeat(2_000), 5],
  ['one long line', 'x'.repeat(50_000), 1],
  ['a long line among others', `a\n${'x'.repeat(50_000)}\nb\nc`, 2],
])('the blocks of %s are the whole of it, and end with lines', (_, text, count) => {
  const blocks = textBlocks(text);
  expect(blocks.join('')).toBe(text);
  expect(blocks).toHaveLength(count);
  expect(blocks.slice(0, -1).every((block) => block.endsWith('\n'))).toBe(true);
});
