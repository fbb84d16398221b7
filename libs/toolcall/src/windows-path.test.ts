import { ToolTable } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { parseText } from './parse-text.ts';

const tools = new ToolTable([
  { name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } } } },
]);

it.each([
  ['C:\\Users\\neo\\test', 'C:\\Users\\neo\\test'],
  ['C:\\temp\\new\\Users', 'C:\\temp\\new\\Users'],
  ['copy C:\\new\\qa.txt D:\\\\temp\\\\b.txt', 'copy C:\\new\\qa.txt D:\\temp\\b.txt'],
  ['C:\\\\Users\\\\neo', 'C:\\Users\\neo'],
  ['a\\nC:\\Users\\test', 'a\nC:\\Users\\test'],
  ['\\\\host\\share\\new', '\\\\host\\share\\new'],
  ['\\\\\\\\host\\\\share', '\\\\host\\share'],
  ['say \\"C:\\Users\\neo\\" now', 'say "C:\\Users\\neo" now'],
  ['C:\\Users\\neo\\n and \\n', 'C:\\Users\\neo\\n and \n'],
  ['grep \\\\d+\\s', 'grep \\d+\\s'],
  ["it\\'s", "it's"],
  ['C:\\temp', 'C:\temp'],
])('the command %j is %j, whole and in pieces', (written, meant) => {
  const text = `<tool_call>{"name":"bash","arguments":{"command":"${written}"}}</tool_call>`;
  for (const holdBytes of [null, 0])
    for (const chunk of ['whole', 1, 2, 3, 7] as const) {
      const { toolCalls } = parseText({ text, tools, dialect: 'hermes', chunk, finishReason: 'stop', holdBytes });
      expect(toolCalls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual([{ command: meant }]);
    }
});
