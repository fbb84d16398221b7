import { expect, it } from 'vitest';
import { type DiffLine, type DiffRow, differencesOf } from './differences.ts';

const textOf = ({ pieces }: DiffLine) => pieces.map(({ text }) => text).join('');
const shown = (rows: readonly DiffRow[]) =>
  rows.map((row) => (row.kind === 'skipped' ? `${row.lines.length} skipped` : `${row.kind}: ${textOf(row)}`));

it('shows what was taken out and put in, with three lines around it, and folds the rest', () => {
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
  const after = lines.with(10, 'another').join('\n');
  expect(shown(differencesOf(lines.join('\n'), after))).toEqual([
    '7 skipped',
    'same: line 7',
    'same: line 8',
    'same: line 9',
    'removed: line 10',
    'added: another',
    'same: line 11',
    'same: line 12',
    'same: line 13',
    '6 skipped',
  ]);
});

it('takes JSON by its values: neither the order of properties nor white space is a difference', () => {
  const rows = differencesOf('{"b":[1,2],"a":{"y":1,"x":2}}', '{ "a": {"x": 2, "y": 1}, "b": [1, 2] }');
  expect(rows.filter(({ kind }) => kind === 'added' || kind === 'removed')).toEqual([]);
});

it('the order of a list is one', () => {
  const kinds = differencesOf('[1,2]', '[2,1]').map(({ kind }) => kind);
  expect(kinds).toContain('added');
  expect(kinds).toContain('removed');
});

it('marks what changed within a line, and shortens a long line where it is the same', () => {
  const long = 'word '.repeat(500);
  const [removed, added] = differencesOf(
    JSON.stringify({ content: `${long}old ending` }),
    JSON.stringify({ content: `${long}new ending` }),
  ).filter(({ kind }) => kind === 'removed' || kind === 'added') as DiffLine[];
  const marked = (line: DiffLine | undefined) => line?.pieces.filter(({ changed }) => changed).map(({ text }) => text);
  expect(marked(removed)).toEqual(['old']);
  expect(marked(added)).toEqual(['new']);
  expect(textOf(removed as DiffLine).length).toBeLessThan(300);
  expect(textOf(removed as DiffLine)).toMatch(/… [\d,]+ characters …/);
});

it('no text that is cut in the middle of JSON, has no end of line or is empty is lost', () => {
  for (const [before, after] of [
    ['', 'a'],
    ['{"messages":[{"role":"us', '{"messages":[{"role":"user"}]}'],
    ['a\r\nb', 'a\nb'],
    ['a', ''],
  ] as const) {
    const lines = differencesOf(before, after).flatMap((row) => (row.kind === 'skipped' ? row.lines : [row]));
    const kept = lines
      .filter(({ kind }) => kind !== 'added')
      .map(textOf)
      .join('\n');
    expect(kept.replace(/\s/g, '')).toBe(before.replace(/\s/g, ''));
  }
});

it('two long texts that have nothing in common are shown one after the other', () => {
  const lines = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word}${n}`).join('\n');
  const rows = differencesOf(lines('a'), lines('b'));
  expect(rows).toHaveLength(40_000);
});
