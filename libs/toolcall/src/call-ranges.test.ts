import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runSync } from '@callsmith/stream';
import { type Finding, type FinishReason, fold, type Tool, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { parseCalls } from './parse-calls.ts';

interface Fixture {
  readonly name: string;
  readonly tools: ToolTable;
  readonly cases: readonly {
    readonly case: string;
    readonly reply: string;
    readonly finish?: FinishReason;
    readonly dialect?: string;
  }[];
}

const folder = fileURLToPath(new URL('../fixtures/', import.meta.url));

const fixtures: Fixture[] = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => {
    const [head, ...cases] = readFileSync(folder + file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    return {
      name: file.replace('.jsonl', ''),
      tools: new ToolTable((head as { tools: Tool[] }).tools),
      cases: cases as Fixture['cases'],
    };
  });

const tools = new ToolTable([
  { name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] } },
  { name: 'git_status', parameters: { type: 'object', properties: {} } },
]);

interface Given {
  readonly tools?: ToolTable;
  readonly dialect: string;
  /** Characters in each piece. */
  readonly size: number;
  readonly holdBytes?: number | null;
  readonly finish?: FinishReason;
  readonly type?: 'text-delta' | 'reasoning-delta';
}

function notesOf(text: string, given: Given): Finding[] {
  const events: UpstreamEvent[] = [];
  for (let at = 0; at < text.length; at += given.size)
    events.push({ type: given.type ?? 'text-delta', choice: 0, text: text.slice(at, at + given.size) });
  events.push({ type: 'turn-end', choice: 0, reason: given.finish ?? 'stop' });
  const stage = parseCalls({
    tools: given.tools ?? tools,
    dialect: given.dialect,
    strategyUsed: 'native',
    holdBytes: given.holdBytes ?? null,
    toolChoice: 'auto',
    parallel: true,
  });
  return fold(runSync(stage, events).out).choices[0]?.notes ?? [];
}

const leaked = (notes: readonly Finding[]) => notes.filter((note) => note.class === 'LeakedCall' && !note.rule);
const textAt = (text: string, { range }: Finding): string | undefined => range && text.slice(...range);
const sizes = [Number.MAX_SAFE_INTEGER, 1, 3, 7];

/** By dialect: what leaked, a call a line of the table; joined they are one block where they belong together. */
const leaks: readonly (readonly [dialect: string, block: string, calls: readonly string[]])[] = [
  [
    'hermes',
    '<tool_call>\n{"name": "bash", "arguments": {"command": "ls é🙂"}}\n</tool_call>',
    ['<tool_call>\n{"name": "bash", "arguments": {"command": "ls é🙂"}}\n</tool_call>'],
  ],
  [
    'hermes',
    '<tool_call>[{"name":"bash","arguments":{"command":"ls"}}, {"type":"function","function":{"name":"git_status","arguments":{}}}]</tool_call>',
    [
      '<tool_call>[{"name":"bash","arguments":{"command":"ls"}}',
      '{"type":"function","function":{"name":"git_status","arguments":{}}}]</tool_call>',
    ],
  ],
  [
    'qwen3-coder-xml',
    '<tool_call>\n<function=bash>\n<parameter=command>\nls é🙂\n</parameter>\n</function>\n<function=git_status>\n</function>\n</tool_call>',
    [
      '<tool_call>\n<function=bash>\n<parameter=command>\nls é🙂\n</parameter>\n</function>',
      '<function=git_status>\n</function>\n</tool_call>',
    ],
  ],
  [
    'mistral-array',
    '[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}, {"name": "git_status", "arguments": {}}]',
    ['[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}', '{"name": "git_status", "arguments": {}}]'],
  ],
  [
    'mistral-v11',
    '[TOOL_CALLS]bash[ARGS]{"command": "ls"}[TOOL_CALLS]git_status[ARGS]{}',
    ['[TOOL_CALLS]bash[ARGS]{"command": "ls"}', '[TOOL_CALLS]git_status[ARGS]{}'],
  ],
  [
    'fenced-tool-calls-json',
    '```json\n{"tool_calls": [{"name": "bash", "arguments": {"command": "ls"}}]}\n```',
    ['```json\n{"tool_calls": [{"name": "bash", "arguments": {"command": "ls"}}]}\n```'],
  ],
  [
    'glm-4.5',
    '<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>\n<tool_call>git_status\n</tool_call>',
    [
      '<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>',
      '<tool_call>git_status\n</tool_call>',
    ],
  ],
  [
    'deepseek-v3.1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>bash<｜tool▁sep｜>{"command": "ls"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>git_status<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>bash<｜tool▁sep｜>{"command": "ls"}<｜tool▁call▁end｜>',
      '<｜tool▁call▁begin｜>git_status<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
  ],
  [
    'pythonic-lfm2',
    '<|tool_call_start|>[bash(command="ls"), git_status()]<|tool_call_end|>',
    ['<|tool_call_start|>[bash(command="ls")', 'git_status()]<|tool_call_end|>'],
  ],
  [
    'tool-code',
    '```tool_code\nprint(bash(command="ls"))\nprint(git_status())\n```',
    ['```tool_code\nprint(bash(command="ls"))', 'print(git_status())\n```'],
  ],
];

describe('D-29 a leaked call says where its text stands, markers included', () => {
  for (const [dialect, block, calls] of leaks)
    it(`${dialect}: ${JSON.stringify(block)}`, () => {
      const text = `Où ça? 你好 🙂.\n${block}\n\nDone – 🎉.`;
      const start = text.indexOf(block);
      for (const size of sizes)
        for (const holdBytes of [null, 0, 8]) {
          const found = leaked(notesOf(text, { dialect, size, holdBytes }));
          expect(
            found.map((note) => textAt(text, note)),
            `pieces of ${size}, ${holdBytes} bytes held`,
          ).toEqual(calls);
          expect(found[0]?.range?.[0]).toBe(start);
          expect(found.at(-1)?.range?.[1]).toBe(start + block.length);
        }
    });

  const call = '<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>';

  it('in a fence, in reasoning that never closes, and escaped', () => {
    const fenced = `Hé🙂.\n\`\`\`xml\n${call}\n\`\`\`\n`;
    const thought = `<think>Hé🙂.\n${call}\n`;
    const escaped = `Hé🙂.\n${call.replaceAll('<', '&lt;').replaceAll('>', '&gt;')} \n`;
    for (const size of sizes) {
      const at = (text: string) => leaked(notesOf(text, { dialect: 'hermes', size })).map((note) => textAt(text, note));
      expect(at(fenced)).toEqual([call]);
      expect(at(thought)).toEqual([call]);
      expect(at(escaped)).toEqual([escaped.slice(escaped.indexOf('&lt;'), escaped.lastIndexOf('&gt;') + 4)]);
    }
  });

  it("a call in an engine's own reasoning stands nowhere in the text", () => {
    const notes = notesOf(`Look.\n${call.replace('ls"', 'ls"]')}`, {
      dialect: 'hermes',
      size: 3,
      type: 'reasoning-delta',
    });
    expect(notes.map((note) => note.range)).toEqual(notes.map(() => undefined));
    expect(leaked(notesOf(call, { dialect: 'hermes', size: 3, type: 'reasoning-delta' }))).toMatchObject([{ call: 0 }]);
  });

  it('one that was cut goes up to the end of the text, one that was dropped says where it stood too', () => {
    const long = `Hé🙂.\n<tool_call>{"name":"bash","arguments":{"command":"${'x'.repeat(64)}`;
    for (const size of sizes) {
      const [first, second] = notesOf(long, { dialect: 'hermes', size, holdBytes: 8, finish: 'length' });
      expect([first?.class, second?.class]).toEqual(['LeakedCall', 'Truncated']);
      expect(first?.range).toEqual([long.indexOf('<'), long.length]);
      expect(second?.range).toEqual(first?.range);
      const unknown = `Hé🙂.\n${call.replace('bash', 'nope')}\n`;
      expect(notesOf(unknown, { dialect: 'hermes', size }).map((note) => [note.class, textAt(unknown, note)])).toEqual([
        ['UnknownName', unknown.slice(unknown.indexOf('<'), -1)],
      ]);
    }
  });
});

describe('the same notes at the same places, however a leak is cut', () => {
  for (const { name, tools: offered, cases } of fixtures)
    it(name, () => {
      for (const one of cases) {
        const dialect = one.dialect ?? (name === 'any-dialect' ? 'auto' : name);
        for (const holdBytes of [null, 24]) {
          const read = (size: number) =>
            notesOf(one.reply, { tools: offered, dialect, size, holdBytes, finish: one.finish ?? 'stop' });
          const whole = read(Number.MAX_SAFE_INTEGER);
          for (const size of [1, 3, 7]) expect(read(size), `${one.case}, pieces of ${size}`).toEqual(whole);
          let before = 0;
          for (const { range } of leaked(whole)) {
            expect(range?.[0], one.case).toBeGreaterThanOrEqual(before);
            before = range?.[1] ?? Number.NaN;
            expect(before, one.case).toBeLessThanOrEqual(one.reply.length);
            expect(one.reply.slice(...(range ?? [0, 0])).trim(), one.case).not.toBe('');
          }
        }
      }
    });
});
