import { runSync } from '@callsmith/stream';
import { fold, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { type ParseCallsOptions, parseCalls } from './parse-calls.ts';
import { parseText } from './parse-text.ts';

const tools = new ToolTable([
  {
    name: 'read_file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'integer' } },
      required: ['path'],
    },
  },
  { name: 'git_status', parameters: { type: 'object', properties: {} } },
]);
const options: ParseCallsOptions = {
  tools,
  dialect: 'auto',
  strategyUsed: 'native',
  holdBytes: 1024,
  toolChoice: 'auto',
  parallel: true,
};
/** Read whole, and one character at a time. */
const ways = ['whole', 1] as const;
const parse = (text: string, chunk: (typeof ways)[number], dialect = 'auto') =>
  parseText({ text, tools, dialect, chunk, finishReason: 'stop' });
const wanted = [{ name: 'read_file', arguments: { path: 'a.txt' } }];
const parsed = (calls: readonly { name: string; arguments: string }[]) =>
  calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown }));

const listed = '{"tool_calls":[{"name":"read_file","arguments":{"path":"a.txt"}}]}';
const lists = [
  ['in a fence', `\`\`\`json\n${listed}\n\`\`\``],
  ['in a fence, over several lines', `\`\`\`json\n${JSON.stringify(JSON.parse(listed), null, 2)}\n\`\`\`\n`],
  ['bare', listed],
  [
    'bare, as OpenAI writes them',
    listed.replace('"name"', '"id":"call_1","type":"function","function":{"name"').replace('}]}', '}}]}'),
  ],
];
const formats = [
  ['[TOOL_REQUEST]', '[TOOL_REQUEST]{"name":"read_file","arguments":{"path":"a.txt"}}[END_TOOL_REQUEST]', 'auto'],
  ['<tool_call>', '<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>', 'auto'],
  ['Tool: name(…)', 'Tool: read_file(path="a.txt")', 'auto'],
  ['ReAct', 'Thought: I must look.\nAction: read_file\nAction Input: {"path": "a.txt"}', 'react'],
];

describe.each(ways)('read %s', (chunk) => {
  it.each(lists)('R-2 a JSON object with tool_calls is read as calls: %s', (_, text) => {
    const { toolCalls, content } = parse(text, chunk);
    expect([parsed(toolCalls), content]).toEqual([wanted, null]);
  });

  it.each(formats)('H-2 %s is read', (_, text, dialect) => {
    expect(parsed(parse(text, chunk, dialect).toolCalls)).toEqual(wanted);
  });

  it('H-3 reasoning is kept apart, and a call inside it does not run', () => {
    const inside = '<tool_call>{"name":"git_status","arguments":{}}</tool_call>';
    const read = parse(`<think>Perhaps ${inside}?</think>\nIt is clean.`, chunk, 'hermes');
    expect(read).toMatchObject({ content: 'It is clean.', toolCalls: [], finishReason: 'stop' });
    expect(read.reasoning).toContain('Perhaps');
    expect(read.content).not.toContain('tool_call');
    const called = parse(
      `<think>Perhaps ${inside}?</think><tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>`,
      chunk,
      'hermes',
    );
    expect([parsed(called.toolCalls), called.content]).toEqual([wanted, null]);
  });

  it.each(['hermes', 'auto', 'mistral-v11', 'qwen3-coder-xml'])(
    'R-6 a call to a tool that was not offered, born as text, never goes out as a call (%s)',
    (dialect) => {
      for (const text of [
        '<tool_call>{"name":"delete_everything","arguments":{"path":"/"}}</tool_call>',
        '[TOOL_CALLS]delete_everything[ARGS]{"path":"/"}',
        '<tool_call>\n<function=delete_everything>\n<parameter=path>\n/\n</parameter>\n</function>\n</tool_call>',
        '{"tool_calls":[{"name":"delete_everything","arguments":{}}]}',
      ]) {
        const { toolCalls, content, finishReason } = parse(text, chunk, dialect);
        expect([toolCalls, finishReason]).toEqual([[], 'stop']);
        expect(content).toContain('delete_everything');
      }
    },
  );
});

const end: UpstreamEvent = { type: 'turn-end', choice: 0, reason: 'tool_calls' };
const piece = (index: number, id: string, choice = 0): UpstreamEvent => ({
  type: 'call-fragment',
  choice,
  index,
  id,
  name: 'git_status',
  arguments: '{}',
});

it('FR-016 call ids are unique, over calls, choices and turns, whatever ids the model server gives', () => {
  const ids = Array.from({ length: 200 }, () =>
    fold(
      runSync(parseCalls(options), [
        piece(0, 'call_0'),
        piece(1, 'call_0'),
        piece(0, 'call_0', 1),
        end,
        { ...end, choice: 1 },
      ]).out,
    ).choices.flatMap((choice) => choice.calls.map((call) => call.id)),
  ).flat();
  expect(ids).toHaveLength(600);
  expect(new Set(ids).size).toBe(600);
});

it('E-7 parallel calls are allowed and one is made: one call', () => {
  for (const events of [
    [piece(0, 'a')],
    [{ type: 'text-delta', choice: 0, text: '<tool_call>{"name":"git_status","arguments":{}}</tool_call>' } as const],
  ]) {
    const [choice] = fold(runSync(parseCalls(options), [...events, end]).out).choices;
    expect([choice?.calls.map(({ name }) => name), choice?.reason]).toEqual([['git_status'], 'tool_calls']);
  }
});

it('H-1 native and text calls end in the same form', () => {
  const events = (upstreamEvents: readonly UpstreamEvent[]) =>
    runSync(parseCalls({ ...options, dialect: 'hermes' }), [...upstreamEvents, end])
      .out.filter((event) => event.type !== 'note')
      .map((event) => ('id' in event ? { ...event, id: 'call_…' } : event));
  const args = '{"path": "a.txt", "limit": 3}';
  const native = events([{ type: 'call-fragment', choice: 0, index: 0, id: 'x', name: 'read_file', arguments: args }]);
  const text = events([
    { type: 'text-delta', choice: 0, text: `<tool_call>{"name": "read_file", "arguments": ${args}}</tool_call>` },
  ]);
  expect(text).toEqual(native);
  expect(native.map(({ type }) => type)).toEqual(['tool-start', 'tool-delta', 'tool-end', 'turn-end']);
});

it('H-10 reading a text takes less than 1 ms per answer', () => {
  const prose = 'I have looked at the file, and the value is set in two places.\n'.repeat(30);
  const text = `${prose}<tool_call>{"name":"read_file","arguments":{"path":"src/main.ts","limit":20}}</tool_call>`;
  const times = Array.from({ length: 300 }, () => {
    const since = performance.now();
    expect(parse(text, 'whole').toolCalls).toHaveLength(1);
    return performance.now() - since;
  });
  // The machine may be busy with other things at any moment, but not at every one.
  expect(Math.min(...times)).toBeLessThan(1);
});
