import { steadyCost } from '@callsmith/testing';
import { ToolTable, type Turn } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { delegatedCalls, delegatedTurn } from './delegate.ts';
import { IntentParser } from './intent-parser.ts';

const tools = new ToolTable([
  { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  { name: 'write_file', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'write', parameters: { type: 'object' } },
]);

function read(modelText: string, size: number): { text: string; intent: string } {
  let text = '';
  const reader = new IntentParser(tools, (piece) => (text += piece));
  for (let at = 0; at < modelText.length; at += size) reader.push(modelText.slice(at, at + size));
  reader.end();
  expect(reader.text).toBe(modelText);
  return { text, intent: reader.intent };
}

describe.each([1, 2, 5, 1000])('what a model intends, in pieces of %s', (size) => {
  it.each([
    ['I look.\n\nCALL weather: city Köln', 'I look.', 'CALL weather: city Köln'],
    ['CALL write_file: path a\nCALL write: b\n', '', 'CALL write_file: path a\nCALL write: b\n'],
    ['Well.\n- **CALL `weather`:** Köln', 'Well.', '- **CALL `weather`:** Köln'],
    ['CALL weather', '', 'CALL weather'],
    ['It is 5 °C.\nANSWER', 'It is 5 °C.', ''],
    ['It is 5 °C.\n\n**ANSWER**\n', 'It is 5 °C.', ''],
    ['ANSWER\nIt is so.', 'ANSWER\nIt is so.', ''],
    ['CALL me: tomorrow.', 'CALL me: tomorrow.', ''],
    ['Please CALL weather: now', 'Please CALL weather: now', ''],
    ['```\nCALL weather: x\n```\nDone.\n', '```\nCALL weather: x\n```\nDone.\n', ''],
    ['```\na\n```\nCALL weather: x', '```\na\n```', 'CALL weather: x'],
    ['CALL weathers: x', 'CALL weathers: x', ''],
    ['  \n', '  \n', ''],
    ['', '', ''],
  ])('%j', (modelText, text, intent) => {
    expect(read(modelText, size)).toEqual({ text, intent });
  });
});

const clientTurn: Turn = {
  model: 'm',
  messages: [
    { role: 'system', content: 'A secret of the system.' },
    { role: 'user', content: 'Long ago' },
    { role: 'tool', callId: 'a', content: 'old/path.txt' },
    { role: 'tool', callId: 'b', content: 'found src/lib/a.ts and id 7f3c9a21 here' },
    { role: 'tool', callId: 'c', content: 'nothing' },
    { role: 'user', content: 'Write it.' },
  ],
  tools,
  toolChoice: 'auto',
  parallel: true,
  stream: true,
  includeUsage: false,
  n: 1,
  sampling: { temperature: 1 },
};
const file = 'line one of a long file\n\tline "two"\n\\ three';
const decided = `I write it.\n\`\`\`ts\n${file}\n\`\`\`\nCALL write_file: path src/lib/a.ts, content the block`;

describe('the request for the calls of a decision', () => {
  it('carries the tools that the text names, the last user text, the names of the last two results and no more', () => {
    const { turn, blocks } = delegatedTurn({ text: decided, clientTurn });
    const prompt = String(turn.messages[1]?.content);
    expect(turn.tools.list.map(({ name }) => name)).toEqual(['write_file', 'write', 'no_call']);
    expect(turn).toMatchObject({ toolChoice: 'required', stream: false, n: 1, sampling: {} });
    expect(prompt).toContain('Write it.');
    expect(prompt).toContain('src/lib/a.ts\n7f3c9a21');
    expect(prompt).toContain(`[@1: a text of ${file.length} characters]`);
    for (const gone of ['secret', 'Long ago', 'old/path', 'line one']) expect(prompt).not.toContain(gone);
    expect([...blocks]).toEqual([['@1', file]]);
  });

  it('offers at most twenty tools where the text names none', () => {
    const many = new ToolTable(Array.from({ length: 50 }, (_, at) => ({ name: `tool_${at}` })));
    const { turn } = delegatedTurn({ text: 'Do it.', clientTurn: { ...clientTurn, tools: many } });
    expect(turn.tools.size).toBe(21);
  });
});

describe('the calls that were written', () => {
  const delegated = delegatedTurn({ text: decided, clientTurn });
  const write = (value: object) => ({ name: 'write_file', arguments: JSON.stringify(value) });

  it('hold the long values byte for byte, and no_call is none', () => {
    const made = [
      write({ path: 'src/lib/a.ts', content: '@1', more: [{ again: '@1', other: '@2' }] }),
      { name: 'no_call', arguments: '{}' },
    ];
    const found = delegatedCalls(made, delegated);
    if ('problem' in found) throw new Error(found.problem);
    expect(found.calls.map(({ name, arguments: json }) => [name, JSON.parse(json)])).toEqual([
      ['write_file', { path: 'src/lib/a.ts', content: file, more: [{ again: file, other: '@2' }] }],
    ]);
  });

  it.each([
    ['a long value that was not passed', { path: 'a', content: 'something nobody ever said' }],
    ['one deep inside', { a: [{ b: 'something nobody ever said' }] }],
  ])('are refused for %s', (_, value) => {
    expect(delegatedCalls([write(value)], delegated)).toEqual({ problem: expect.stringContaining('nobody ever said') });
  });

  it('are refused where their arguments are no object', () => {
    expect(delegatedCalls([{ name: 'write', arguments: '[1]' }], delegated)).toHaveProperty('problem');
  });
});

it('hostile text takes no time: fences that never end, endless words, endless lines', () => {
  const texts = ['```a\n'.repeat(100_000), 'a'.repeat(1_000_000), '#'.repeat(300_000)];
  const readAll = () => {
    for (const text of texts) {
      delegatedTurn({ text, clientTurn: { ...clientTurn, messages: [{ role: 'tool', callId: 'a', content: text }] } });
      for (const size of [3, 100_000]) read(text, size);
    }
  };
  expect(steadyCost(readAll, 4000)).toBeLessThan(4000);
});
