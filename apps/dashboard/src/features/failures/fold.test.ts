import { expect, it } from 'vitest';
import { foldedSections } from './fold.ts';
import { prettyText } from './pretty.ts';

const messages = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    role: n % 2 ? 'assistant' : 'user',
    content: `line\n${n} "x"`,
    at: [n, {}],
  }));
const whole = (text: string) =>
  foldedSections(text)
    .map((section) => section.text)
    .join('');

it.each([
  ['a long history', { model: 'm', messages: messages(40), stream: true }],
  ['two long lists', { messages: messages(11), tools: messages(200) }],
  ['a short one', { messages: messages(10) }],
  ['empty things', { messages: [], tools: {}, a: null }],
  ['nothing', {}],
  ['a list', messages(30)],
])('the sections of %s are the whole of it, as it is shown unfolded', (_, body) => {
  const text = JSON.stringify(body);
  expect(whole(text)).toBe(prettyText(text));
});

it('what is between the first and the last messages of a long history is folded', () => {
  const sections = foldedSections(JSON.stringify({ model: 'm', messages: messages(40), stream: true }));
  expect(sections.map(({ folded }) => folded)).toEqual([undefined, { name: 'messages', count: 34 }, undefined]);
  expect(sections[0]?.text).toContain('"model": "m"');
  expect(sections[2]?.text).toContain('39 \\"x\\"');
});

it('text that was cut, or is no JSON, is unchanged', () => {
  expect(foldedSections('{"messages":[{"ro')).toEqual([{ text: '{"messages":[{"ro' }]);
  expect(whole('7')).toBe('7');
});
