import { expect, it } from 'vitest';
import { requestOf } from './draft.ts';
import { toolTemplates } from './tool-templates.ts';

const message = { key: 0, role: 'user', content: 'Read a.txt' };

it('a draft becomes a body of chat completions; empty messages are left out', () => {
  const messages = [{ key: 1, role: 'system', content: ' ' }, message];
  const sent = [{ role: 'user', content: 'Read a.txt' }];
  expect(requestOf({ messages, tools: '' })).toEqual({ request: { messages: sent } });
  expect(requestOf({ messages, tools: '[]' })).toEqual({ request: { messages: sent } });
  expect(requestOf({ messages, tools: '[{"type":"function"}]' })).toEqual({
    request: { messages: sent, tools: [{ type: 'function' }] },
  });
});

it.each([
  ['no message', { messages: [], tools: '' }, 'messages', 'at least one'],
  ['no JSON', { messages: [message], tools: '[{' }, 'tools', 'not JSON'],
  ['an object', { messages: [message], tools: '{}' }, 'tools', 'found an object'],
  ['null', { messages: [message], tools: 'null' }, 'tools', 'found null'],
  ['a number', { messages: [message], tools: '7' }, 'tools', 'found a number'],
])('%s is refused at its field', (_, draft, field, says) => {
  expect(requestOf(draft)).toEqual({ field, message: expect.stringContaining(says) });
});

it.each(Object.entries(toolTemplates))('every tool of %s has a name of its own and a schema', (_, tools) => {
  const functions = tools.map((tool) => (tool as { function: { name: string; parameters: object } }).function);
  expect(new Set(functions.map(({ name }) => name)).size).toBe(tools.length);
  for (const { parameters } of functions) {
    const { properties, required } = parameters as { properties: object; required: string[] };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
  }
});
