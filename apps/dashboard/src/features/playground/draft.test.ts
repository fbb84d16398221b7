import { expect, it } from 'vitest';
import { continueDraft, parseDraft, requestOf, withoutMessage } from './draft.ts';
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
])('%s is refused at its field', (_, draft, field, expectedMessage) => {
  expect(requestOf(draft)).toEqual({ field, message: expect.stringContaining(expectedMessage) });
});

const call = { id: 'call_1', name: 'read_file', arguments: '{"path":"a.txt"}', whole: true };

it('an answer that was taken up is sent with its calls, and each result by its call, also an empty one', () => {
  const other = { ...call, id: 'call_2', name: 'list' };
  const next = continueDraft({ messages: [message], tools: '' }, { text: '', calls: [call, other] });
  const messages = next.messages.map((one) => (one.resultOf?.id === 'call_1' ? { ...one, content: 'Hello' } : one));
  expect(new Set(messages.map(({ key }) => key)).size).toBe(4);
  const called = ({ id, name, arguments: args }: typeof call) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  });
  expect(requestOf({ messages, tools: '' })).toEqual({
    request: {
      messages: [
        { role: 'user', content: 'Read a.txt' },
        { role: 'assistant', content: null, tool_calls: [called(call), called(other)] },
        { role: 'tool', tool_call_id: 'call_1', content: 'Hello' },
        { role: 'tool', tool_call_id: 'call_2', content: '' },
      ],
    },
  });
  expect(parseDraft(JSON.stringify(next))).toEqual(next);
  const answer = next.messages[1]?.key ?? -1;
  expect(withoutMessage(next, answer).messages).toEqual([message]);
});

it('behind an answer without calls the user speaks', () => {
  const empty = { key: 1, role: 'assistant', content: ' ' };
  expect(continueDraft({ messages: [message, empty], tools: '' }, { text: 'Done.', calls: [] }).messages).toEqual([
    message,
    { key: 2, role: 'assistant', content: 'Done.' },
    { key: 3, role: 'user', content: '' },
  ]);
});

it.each([
  undefined,
  '',
  'null',
  '[]',
  '{"messages":[],"tools":""}',
  '{"messages":[null],"tools":""}',
  '{"messages":[{}]}',
])('what a browser kept is not taken for a draft: %s', (text) => expect(parseDraft(text)).toBeUndefined());

it.each(Object.entries(toolTemplates))('every tool of %s has a name of its own and a schema', (_, tools) => {
  const functions = tools.map((tool) => (tool as { function: { name: string; parameters: object } }).function);
  expect(new Set(functions.map(({ name }) => name)).size).toBe(tools.length);
  for (const { parameters } of functions) {
    const { properties, required } = parameters as { properties: object; required: string[] };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
  }
});
