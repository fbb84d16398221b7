import { expect, it } from 'vitest';
import { foldedSections } from './fold.ts';
import { excerptOf, findMatches } from './json-search.ts';

const words = (sections: readonly string[], query: string) =>
  findMatches(sections, query).found.map(({ section, from, to }) => sections[section]?.slice(from, to));

const request = JSON.stringify({
  model: 'Path-Finder',
  messages: Array.from({ length: 40 }, (_, n) => ({ role: 'user', content: `say "hi" to ${n}\nand C:\\path (a|b)` })),
  path: 'notes.txt',
});
const sections = foldedSections(request).map(({ text }) => text);

it('keys and values are found in their order, whatever their case, folded ones too', () => {
  const { found, more } = findMatches(sections, 'PATH');
  expect(found).toHaveLength(42);
  expect(more).toBe(false);
  expect(found.filter(({ section }) => section === 1)).toHaveLength(34);
  expect(found).toEqual(found.toSorted((a, b) => a.section - b.section || a.from - b.from));
  expect(words(sections, 'path')[0]).toBe('Path');
});

it.each([
  ['say "hi"', 'say \\"hi\\"'],
  ['say \\"hi\\"', 'say \\"hi\\"'],
  ['C:\\path', 'C:\\\\path'],
  ['"role": "user"', '"role": "user"'],
  ['to 7\\nand', 'to 7\\nand'],
  ['(a|b)', '(a|b)'],
])('%s finds %s', (query, shown) => {
  expect(words(sections, query)[0]).toBe(shown);
});

it('nothing is found by white space, and nothing where there is nothing', () => {
  expect(findMatches(sections, '  ')).toEqual({ found: [], more: false });
  expect(findMatches(sections, 'ghi|jkl')).toEqual({ found: [], more: false });
});

it('of very many matches the first 10 000 are found, quickly', () => {
  const text = JSON.stringify({ text: 'ab'.repeat(500_000) });
  const began = performance.now();
  const { found, more } = findMatches([text], 'b');
  expect(performance.now() - began).toBeLessThan(1_000);
  expect(found).toHaveLength(10_000);
  expect(more).toBe(true);
});

it('an excerpt is what is beside the match in its line', () => {
  const [match] = findMatches(sections, 'notes').found;
  expect(match && excerptOf(sections[match.section] ?? '', match)).toBe('"path": "notes.txt"');
  const long = `${'x'.repeat(100)}needle${'y'.repeat(100)}`;
  expect(excerptOf(long, { section: 0, from: 100, to: 106 })).toBe(`${'x'.repeat(60)}needle${'y'.repeat(60)}`);
});
