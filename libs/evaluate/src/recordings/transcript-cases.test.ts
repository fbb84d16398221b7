import { expect, it } from 'vitest';
import { readJsonLines } from './json-lines.ts';
import { transcriptCases } from './transcript-cases.ts';

const turn = { id: 'turn_1', model: 'qwen', dialect: 'hermes' };
const raw = (text: string, choice = 0, fragments: unknown[] = []) => ({ choice, text, reasoning: '', fragments });

it('a case has the text, the tools of any API in the form of chat completions, and the reason', () => {
  const tool = { type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } };
  const requests = [
    { tools: [tool] },
    { tools: [{ type: 'function', ...tool.function }] },
    { tools: [{ name: 'read_file', input_schema: { type: 'object' } }] },
  ];
  for (const request of requests) {
    const [line] = transcriptCases({
      turn,
      body: {
        raw: [raw('<tool_call>{"na')],
        clientRequest: JSON.stringify(request),
        delivered: [{ reason: 'length' }],
      },
    });
    expect(line).toMatchObject({
      id: 'turn_1',
      group: 'qwen',
      text: '<tool_call>{"na',
      tools: [{ function: { name: 'read_file', parameters: { type: 'object' } } }],
      dialect: 'hermes',
      finish_reason: 'length',
    });
    expect(line).not.toHaveProperty('message');
  }
});

it('several choices are several cases, and missing ones are left out', () => {
  const body = { raw: [raw('t0'), raw('t1', 1)], clientRequest: '{"cut', delivered: null };
  expect(transcriptCases({ turn: { ...turn, dialect: null }, body })).toEqual([
    { id: 'turn_1-0', group: 'qwen', text: 't0' },
    { id: 'turn_1-1', group: 'qwen', text: 't1' },
  ]);
});

it('native calls are a message, and are read in their recorded form', () => {
  const fragments = [
    { index: 0, name: 'read_file', arguments: '{"path"' },
    { index: 1, name: 'ring', arguments: '{}' },
    { index: 0, arguments: ': "a' },
  ];
  const lines = transcriptCases({
    turn,
    body: { raw: [raw('Reading.', 0, fragments)], clientRequest: null, delivered: [] },
  });
  const { recordings } = readJsonLines(lines.map((line) => JSON.stringify(line)).join('\n'), 'file');
  expect(recordings).toMatchObject([
    {
      id: 'turn_1',
      group: 'qwen',
      reply: {
        text: 'Reading.',
        calls: [
          { name: 'read_file', arguments: '{"path": "a' },
          { name: 'ring', arguments: '{}' },
        ],
      },
    },
  ]);
});
