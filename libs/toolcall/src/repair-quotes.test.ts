import { expect, it } from 'vitest';
import { parseLooseJson } from './parse-loose-json.ts';

const tool = {
  name: 'write_file',
  parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
};
const value = (text: string): unknown => {
  const read = parseLooseJson(text, tool);
  return read && JSON.parse(read.json);
};

it('a comma before a parameter is missing, or another sign stands for it', () => {
  for (const between of [' ', '; ', '，', '；', ''])
    for (const content of ['b', 'say \\"hi\\"; x', 'a; b，c', '{\\n}'])
      expect(value(`{"path": "a"${between}"content": "${content}"}`), between + content).toEqual({
        path: 'a',
        content: JSON.parse(`"${content}"`) as string,
      });
});

it('brackets and colons may be of full width', () => {
  expect(value('｛"path"： "a：b"，"content"："｛c｝"｝')).toEqual({ path: 'a：b', content: '｛c｝' });
});

it('only a parameter of the tool shows that a comma is missing: other quotes are part of the string', () => {
  expect(value('{"path": "a", "content": "say "x": 1; y"}')).toEqual({ path: 'a', content: 'say "x": 1; y' });
});

it('the inside of a string that lost its quotes is decoded', () => {
  expect(value('{\\"path\\": \\"a\\", \\"content\\": \\"say \\\\\\"hi\\\\\\"\\"}')).toEqual({
    path: 'a',
    content: 'say "hi"',
  });
  expect(value('{\\"path\\": oops}')).toBeUndefined();
});
