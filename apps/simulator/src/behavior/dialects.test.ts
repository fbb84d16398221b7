import { dialects, parseText, preparePrompt } from '@callsmith/toolcall';
import { type Message, type Tool, ToolTable, type Turn } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { defaultControls } from '../controls.ts';
import { randomFrom } from '../random.ts';
import { playTurn } from '../turn.ts';
import { promptedForm } from './forms.ts';

const string = { type: 'string' };
const offered: Tool[] = [
  {
    name: 'read_file',
    description: 'Reads a file',
    parameters: { type: 'object', properties: { path: string }, required: ['path'] },
  },
  {
    name: 'write_file',
    description: 'Writes a file',
    parameters: { type: 'object', properties: { path: string, content: string }, required: ['path', 'content'] },
  },
];
const tools = new ToolTable(offered);

/** The model's output with a tool prompt in `dialect`, and the calls that `libs/toolcall` parses from it. */
function play(dialect: (typeof dialects)[number], messages: readonly Message[]) {
  const turn: Turn = {
    model: 'm',
    messages,
    tools,
    toolChoice: 'auto',
    parallel: true,
    stream: false,
    includeUsage: false,
    n: 1,
    sampling: {},
  };
  const shaped = preparePrompt(turn, dialect).messages.map((message) => ({
    role: message.role,
    content: message.content as string,
  }));
  const played = playTurn({ messages: shaped }, { ...defaultControls, dialect: dialect.name }, randomFrom('test'));
  const text = played.segments.map((segment) => segment.text).join('');
  return {
    text,
    system: shaped[0]?.content ?? '',
    ...parseText({ text, tools, dialect: dialect.name, chunk: 3, finishReason: 'stop' }),
  };
}

const result = (callId: string, name: string, content: string): Message => ({ role: 'tool', callId, name, content });

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
  'with a tool prompt in %s',
  (name, dialect) => {
    it('writes calls that are parsed back, and continues from their results', () => {
      const messages: Message[] = [
        { role: 'system', content: 'You help.' },
        {
          role: 'user',
          content:
            'Read hello.txt, then create out.txt containing exactly one line: "quoted" {x}. Then say you are done.',
        },
      ];
      const read = play(dialect, messages);
      expect(promptedForm(read.system, name)?.dialect).toBe(name);
      expect(read.toolCalls).toEqual([{ name: 'read_file', arguments: expect.any(String) }]);
      expect(JSON.parse(read.toolCalls[0]?.arguments ?? '')).toEqual({ path: 'hello.txt' });
      messages.push(
        { role: 'assistant', content: read.content, calls: [{ id: 'call_1', ...read.toolCalls[0]! }] },
        result('call_1', 'read_file', 'SECRET-1'),
      );
      const write = play(dialect, messages);
      expect(write.toolCalls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
        ['write_file', { path: 'out.txt', content: '"quoted" {x}\n' }],
      ]);
      messages.push(
        { role: 'assistant', content: write.content, calls: [{ id: 'call_2', ...write.toolCalls[0]! }] },
        result('call_2', 'write_file', 'ok'),
      );
      const end = play(dialect, messages);
      expect(end.toolCalls).toEqual([]);
      expect(end.content).toMatch(/SECRET-1[\s\S]*I wrote out\.txt[\s\S]*done/);
    });

    it('reads in parallel if the dialect can, else one by one', () => {
      const messages: Message[] = [{ role: 'user', content: 'Read a.txt and b.txt in parallel.' }];
      const first = play(dialect, messages);
      messages.push({
        role: 'assistant',
        content: first.content,
        calls: first.toolCalls.map((call, at) => ({ id: `call_${at}`, ...call })),
      });
      for (const [at] of first.toolCalls.entries()) messages.push(result(`call_${at}`, 'read_file', `WORD-${at}`));
      const second = play(dialect, messages);
      expect([...first.toolCalls, ...second.toolCalls].map((call) => JSON.parse(call.arguments))).toEqual([
        { path: 'a.txt' },
        { path: 'b.txt' },
      ]);
    });

    it('copies a file byte for byte', () => {
      const messages: Message[] = [{ role: 'user', content: 'Copy a.txt to b.txt.' }];
      const read = play(dialect, messages);
      const text = '\t"one" {two}\n\\n three\n\n';
      const copy = { id: 'call_2', name: 'write_file', arguments: JSON.stringify({ path: 'b.txt', content: text }) };
      if (dialect.canExpress?.(copy, offered[1]) === false) return;
      messages.push(
        { role: 'assistant', content: read.content, calls: [{ id: 'call_1', ...read.toolCalls[0]! }] },
        result('call_1', 'read_file', text),
      );
      expect(play(dialect, messages).toolCalls.map((call) => JSON.parse(call.arguments))).toEqual([
        { path: 'b.txt', content: text },
      ]);
    });
  },
);
