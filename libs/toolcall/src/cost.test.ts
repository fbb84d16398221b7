import { cpuMs, seeded } from '@callsmith/testing';
import { ToolTable } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { dialects } from './dialects/index.ts';
import { parseCalls } from './parse-calls.ts';
import { parseText } from './parse-text.ts';

const tools = new ToolTable([
  { name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] } },
  { name: 'git_status', parameters: { type: 'object', properties: {} } },
]);

const read = (text: string, dialect: string, chunk: number | 'whole' = 'whole') =>
  parseText({ text, tools, dialect, chunk, finishReason: 'stop' });

const filled = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/**
 * Milliseconds of processor time for a megabyte of a text, warm. A reading takes at most 300 on a machine of its own;
 * tests share theirs and run code that is not bundled. What this is to catch took ten times as much.
 */
function costOf(unit: string, dialect: string, length: number): number {
  const text = filled(unit, length);
  let best = Infinity;
  for (let round = 0; round < 4 && best > most; round++) {
    const start = cpuMs();
    read(text, dialect, round % 2 === 0 ? 'whole' : 1000);
    best = Math.min(best, ((cpuMs() - start) / length) * 1_000_000);
  }
  return best;
}

const most = 1000;

describe('a hostile text costs little', () => {
  it.each([
    ['bare-json', '\n{\n['],
    ['auto', '<bash>{"\n'],
    ['auto', '<bash>{"command": "a"\n'],
    ['auto', '<bash command="a" b=\'c\'\n'],
    ['bare-json', '[\n'],
    ['bare-json', '{"a":\n\n'],
    ['bare-json', 'functools{"tool_calls":['],
    ['auto', '<tool_calls>[{"'],
    ['phi4-mini', '<tool_calls>{"arguments":'],
    ['lmstudio-default', '<tool_calls>{"function":\''],
    ['lmstudio-default', '[TOOL_REQUEST]{"name": '],
    ['hermes', '<tool_call>\n{"name": '],
    ['hermes', '<tool_call>{"name":|>'],
    ['hermes', '<|tool_call_begin|>function<|tool_sep|>'],
    ['hermes', '<｜tool_call_begin｜>function<｜tool_sep｜>[git_status()]'],
    ['hunyuan-a13b', '-&lt;tool_call&gt;[{'],
    ['mistral-array', '</\n```\n'],
    ['fenced-tool-calls-json', '\n```\n{"arguments":'],
    ['deepseek-v3.1', '[TOOL_CALLS]\n'],
    ['harmony', '</answer><|call|>'],
    ['hunyuan-a13b', '<turn|> '],
    ['auto', '\n```\n{'],
    ['auto', '\nTool: bash('],
    ['auto', '\nTool: bash(a='],
    ['auto', '<bash>{"command": "a" "b"\n'],
    ['auto', '@@ -1 +1 @@\n+<tool_call>\n'],
    ['hermes', '＜tool_call＞'],
    ['hermes', 'Tool: bash(command="ls\n'],
  ])(
    '%s: %j',
    (dialect, unit) => {
      expect(costOf(unit, dialect, 256 * 1024)).toBeLessThan(most);
    },
    60_000,
  );

  const words = [
    ...dialects.flatMap((dialect) => [
      ...dialect.openingMarkers(tools, true).map((marker) => marker.text),
      ...(dialect.closingMarkers?.(tools) ?? []),
      ...dialect.resultMarkers.map((marker) => marker.text),
      ...(dialect.reasoning ?? []).flatMap((block) => [block.open, ...block.closes]),
    ]),
    ...[
      '\n',
      ' ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ':',
      ',',
      '<',
      '```',
      '\n```\n',
      '{"name": ',
      '{"arguments":',
      '[{"',
      'a',
    ],
    ...[
      '{{',
      '/*',
      'bash(',
      'git_status()',
      '&lt;tool_call&gt;',
      'Action:',
      'Tool:',
      '{"tool_calls":[',
      '{"function":',
    ],
  ].filter((word) => word !== '');
  const names = ['auto', ...dialects.map((dialect) => dialect.name)];

  it.each(Array.from({ length: 6 }, (_, seed) => seed))(
    'made of markers and brackets, %d',
    (seed) => {
      const next = seeded(seed * 7919 + Number(process.env.SEED ?? 0));
      const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
      for (let count = 0; count < 40; count++) {
        const unit = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(words)).join('');
        const dialect = pick(names);
        expect(costOf(unit, dialect, 64 * 1024), `${dialect}: ${JSON.stringify(unit)}`).toBeLessThan(4 * most);
      }
    },
    120_000,
  );
});

describe('a hostile text in small pieces costs little more than prose in such pieces', () => {
  const prose = 'Some plain words of an answer, with `code` and (brackets) in <b>bold</b> or so, and: "quotes".\n';
  const length = 256 * 1024;

  /** How many times as long as prose a text takes in pieces of that length, each at its best. */
  function timesProse(unit: string, dialect: string, size: number, head = ''): number {
    const timed = (text: string): number => {
      const start = cpuMs();
      read(text, dialect, size);
      return cpuMs() - start;
    };
    const [text, plain] = [head + filled(unit, length), filled(prose, length)];
    let [most, least] = [Infinity, Infinity];
    for (let round = 0; round < 8; round++) {
      most = Math.min(most, timed(text));
      least = Math.min(least, timed(plain));
    }
    return most / least;
  }

  it.each([
    ['auto', 7, '<think>{"name": </think>'],
    ['hermes', 7, '<think>{"name": </think>'],
    ['step3', 7, '<think> x </think>'],
    ['auto', 7, '<function_results>'],
    ['deepseek-v3.2-dsml', 7, '<function_results><function_results>'],
    ['fenced-tool-calls-json', 64, '\n{'],
    [
      'deepseek-v3-r1',
      64,
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n```json\n{"command":"l',
    ],
  ])(
    '%s in pieces of %d: %j',
    (dialect, size, unit) => {
      expect(timesProse(unit, dialect, size)).toBeLessThan(size < 64 ? 6.5 : 24);
    },
    60_000,
  );

  const open = '<tool_call>\n<function=bash>\n<parameter=command>\n';

  it.each([
    ['qwen3-coder-xml', 4, open, '</param>'],
    ['qwen3-coder-xml', 4, open, `</param>${' '.repeat(60)}</value>`],
    ['qwen3-coder-xml', 4, open, `</param>${' '.repeat(4000)}`],
    ['qwen3-coder-xml', 4, open, '</parameter>'],
    ['qwen3-coder-xml', 4, open, '<'],
    ['qwen3-coder-xml', 4, open, '<|'],
    ['qwen3-coder-xml', 4, open, '<|im_end|>'],
    ['qwen3-coder-xml', 4, open, '</parameter>\n<|im_end|>'],
    ['auto', 4, '@@ -1 +1 @@\n', '+<tool_call>\n'],
    ['auto', 4, '', 'Example: <tool_call>\n- <tool_call>\n'],
    ['cline-flat-xml', 4, '<bash>\n<command>\n', '</command>\n<x>'],
    ['cline-flat-xml', 4, '<bash>\n<command>\n', '</command><x></x>'],
    ['auto', 4, '', '<pre>x</pre>\n'],
    ['auto', 4, '', '<|end|>'],
    ['auto', 4, '', '```\n'],
    ['auto', 4, '<think>', 'plain words '],
  ])(
    '%s in pieces of %d: behind %j %j',
    (dialect, size, head, unit) => {
      expect(timesProse(unit, dialect, size, head)).toBeLessThan(14);
    },
    60_000,
  );
});

describe('what ends nowhere is not read again as a whole', () => {
  /** Processor time of the end alone, when all that was waited for turns out not to come. */
  function costOfEnd(text: string, dialect: string, size: number): number {
    const sink = parseCalls({
      tools,
      dialect,
      dialectDeclared: false,
      strategyUsed: 'prompt',
      holdBytes: 1024,
      toolChoice: 'auto',
      parallel: true,
    })({ push: () => {}, flush: () => {}, end: () => {} });
    for (let at = 0; at < text.length; at += size)
      sink.push({ type: 'text-delta', choice: 0, text: text.slice(at, at + size) });
    const start = cpuMs();
    sink.push({ type: 'turn-end', choice: 0, reason: 'stop' });
    sink.end();
    return cpuMs() - start;
  }

  it.each([
    ['auto', '&lt;tool_call&gt;[{'],
    ['hermes', '&lt;tool_call&gt;{"name":"bash","arguments":{"command":"ls '],
    ['auto', '\nTool: bash('],
    ['hermes', 'Tool: bash(command="ls\n'],
    ['auto', '<|function_call|>{"name": "bash", "arguments": {"command""ls -la"}}'],
    ['gigachat3', '<|function_call|>{"name": "bash", "arguments": {"command": "say "a" "}}'],
    ['auto', '＜tool_call＞{"name":"git_status","arguments":{}}<think>'],
    ['auto', '＜tool_call＞{"name":"git_status","arguments":{}}<think>', 7],
    ['hermes', '&lt;tool_call&gt;{"name":"git_status","arguments":{}}&lt;/tool_call ', 7],
    ['functiongemma', 'call:bash(<start_function_call>'],
    ['auto', '<|python_start|>bash('],
    ['auto', '<bash>\ncommand: ls -la\n'],
    ['granite-3', '[bash(<tool_call>'],
  ])(
    '%s: %j',
    (dialect, unit, size = 4096) => {
      const text = filled(unit, 1024 * 1024);
      expect(Math.min(costOfEnd(text, dialect, size), costOfEnd(text, dialect, size))).toBeLessThan(250);
    },
    60_000,
  );

  it.each(['"ls ', "'ls ", '\\"ls ', '[ls '])(
    'brackets that never close, with %j, keep a quarter of a megabyte waiting',
    (unit) => {
      let emitted = 0;
      const sink = parseCalls({
        tools,
        dialect: 'tool-code',
        dialectDeclared: false,
        strategyUsed: 'prompt',
        holdBytes: 1024,
        toolChoice: 'auto',
        parallel: true,
      })({ push: (event) => (emitted += event.type === 'text-delta' ? event.text.length : 0), flush() {}, end() {} });
      const text = `\`\`\`tool_code\nbash(a b ${filled(unit, 4000)}\`\`\`\n${filled('Some prose. ', 3 * 1024 * 1024)}`;
      for (let at = 0; at < text.length; at += 4096)
        sink.push({ type: 'text-delta', choice: 0, text: text.slice(at, at + 4096) });
      expect(text.length - emitted).toBeLessThan((256 + 64) * 1024);
    },
  );

  it.each([1000, 4096, 'whole'] as const)(
    'what is open for too long is text, and what follows counts, in pieces of %s',
    (chunk) => {
      const open = `Tool: bash(${'x '.repeat(50_000)}`;
      const marked = '<tool_call>{"name": "git_status", "arguments": {}}</tool_call>';
      const { content, toolCalls } = read(`${open}\n${marked}`, 'auto', chunk);
      expect([content?.trim() === open.trim(), toolCalls.length]).toEqual([true, 1]);
    },
  );

  it.each([1, 50, 'whole'] as const)('calls beyond the bound are not read in pieces of %s', (chunk) => {
    const text = `${'\nTool: bash(command=ls)'.repeat(3000)}`;
    const { toolCalls, finishReason } = read(text, 'auto', chunk);
    expect([toolCalls.length, finishReason]).toEqual([1000, 'length']);
  });
});

describe('markers that begin no calls', () => {
  const call = '<tool_call>{"name": "git_status", "arguments": {}}</tool_call>';
  const vain = '<tool_call>{"name": ';

  it.each([1, 7, 1000, 'whole'] as const)('count no more where they stand too close, in pieces of %s', (chunk) => {
    const close = vain.repeat(2000) + call;
    expect(read(close, 'hermes', chunk)).toMatchObject({ toolCalls: [], content: close });
    const apart = `${vain.repeat(2000)}\n${'Plain words.\n'.repeat(40_000)}${call}`;
    expect(read(apart, 'hermes', chunk).toolCalls).toHaveLength(1);
    const few = vain.repeat(400) + call;
    expect(read(few, 'hermes', chunk).toolCalls).toHaveLength(1);
  });

  it.each([1, 7, 1000, 'whole'] as const)(
    'calls with nothing behind their names are text at last, in pieces of %s',
    (chunk) => {
      const empty = '[TOOL_CALLS]bash(';
      const many = read(empty.repeat(1000) + call, 'mistral-v11', chunk);
      expect([many.finishReason, many.toolCalls.length]).toEqual(['stop', 0]);
      expect(many.content).toMatch(/(?:\[TOOL_CALLS\]bash\(){800}/);
      const few = read(empty.repeat(100), 'mistral-v11', chunk);
      expect(few.content).toBe(`The model called "bash" without arguments. It requires: command.\n${empty}`);
    },
  );

  it.each([
    ['auto', (at: number) => `<tool_call>{"name":"bash","arguments":{"command":"${at}"}}</tool_call>\n`],
    ['glm-4.5', (at: number) => `<tool_call>{"name":"bash","arguments":{"command":"${at}"}}</tool_call>\n`],
    [
      'auto',
      (at: number) =>
        `<tool_call>\n<function=bash>\n<parameter=command>\n${at}\n</parameter>\n</function>\n</tool_call>\n`,
    ],
  ])('900 short calls are read, although dialects before theirs are tried (%s)', (dialect, call) => {
    const text = Array.from({ length: 900 }, (_, at) => call(at)).join('');
    expect(read(text, dialect).toolCalls).toHaveLength(900);
    expect(read(text, dialect, 5).toolCalls).toHaveLength(900);
  });

  it('a long document about tool calls is read to its end', () => {
    const prose = `A call begins with <tool_call>, then {"name": …} follows, and a tag ends it. That is what the template of this model shows; nobody says more.\n`;
    expect(read(prose.repeat(5000) + call, 'hermes').toolCalls).toHaveLength(1);
  });
});
