import { runSync } from '@callsmith/stream';
import { cpuMs, seeded } from '@callsmith/testing';
import { type JsonObject, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialects } from './dialects/index.ts';
import { parseCalls } from './parse-calls.ts';
import { parseText } from './parse-text.ts';

const tools = new ToolTable([
  {
    name: 'write_file',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        mode: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['path', 'content'],
    },
  },
  { name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] } },
  { name: 'git_status', parameters: { type: 'object', properties: {} } },
]);

const runs = Number(process.env.PROPERTY_RUNS ?? 5000);
const names = ['auto', ...dialects.map((dialect) => dialect.name)];

/** Pieces of what models write, to be put together wrongly. */
const scraps = [
  ...dialects.flatMap((dialect) => [
    dialect.renderCall({
      id: 'call_1',
      name: 'write_file',
      arguments: '{"path":"a.ts","content":"x = \\"1\\";\\n</p>","mode":5,"tags":["a","b"]}',
    }),
    dialect.renderCall({ id: 'functions.bash:1', name: 'bash', arguments: '{"command":"echo \'hi\' > \\"a b\\""}' }),
    dialect.renderCall({ id: 'call_3', name: 'git_status', arguments: '{}' }),
    ...dialect.openingMarkers(tools, true).map((opener) => opener.text),
    dialect.renderResult({ callId: 'call_1', name: 'bash', text: 'ok' }),
  ]),
  '<think>',
  '</think>',
  '```',
  '```json\n',
  '`',
  '\n',
  ' ',
  'Some prose. ',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  ',',
  ':',
  '\\',
  '\\u00',
  '<',
  '>',
  '</',
  '{"name":',
  '"arguments":',
  'None',
  'True',
  '“',
  '”',
  '\u200b',
  '\ufeff',
  '\ud83d',
  '\ude00',
  '\u0000',
  '</parameter>',
  '</function>',
  '__proto__',
  '"__proto__":{"x":1}',
  '//',
  '/*',
  '#',
  '(',
  ')',
  'write_file',
  'bash(',
  'call:bash{',
  '&lt;tool_call&gt;',
  '&quot;',
];

/** A text of scraps, with some characters lost, doubled or put elsewhere. */
function mutated(seed: number): string {
  const next = seeded(seed);
  const pick = (count: number): number => Math.floor(next() * count);
  let text = '';
  for (let count = 1 + pick(4); count > 0; count--) text += scraps[pick(scraps.length)];
  for (let count = pick(5); count > 0 && text.length > 0; count--) {
    const at = pick(text.length);
    const length = 1 + pick(6);
    const kind = pick(4);
    if (kind === 0) text = text.slice(0, at) + text.slice(at + length);
    else if (kind === 1) text = text.slice(0, at) + text.slice(at, at + length) + text.slice(at);
    else if (kind === 2) text = text.slice(0, at) + scraps[pick(scraps.length)] + text.slice(at);
    else text = text.slice(0, at);
  }
  return text;
}

describe('laws on mutated inputs', () => {
  it(`nothing throws, whole equals split, and the arguments of every delivered call parse (${runs} inputs)`, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0x7fffffff }),
        fc.constantFrom(...names),
        fc.constantFrom(null, 0, 16, 64),
        (seed, dialect, holdBytes) => {
          const text = mutated(seed);
          const finishReason = seed % 3 === 0 ? 'length' : 'stop';
          const read = (chunk: number | readonly number[] | 'whole') =>
            parseText({ text, tools, dialect, chunk, finishReason, holdBytes });
          const whole = read('whole');
          for (const chunk of [1, 3, 1 + (seed % 17)]) {
            expect(
              JSON.stringify(read(chunk)),
              `${dialect} in pieces of ${chunk}, holdBytes ${holdBytes}: ${JSON.stringify(text)}`,
            ).toBe(JSON.stringify(whole));
          }
          const cut = whole.notes.some((note) => note.stage === 'stream' && note.action === 'dropped');
          for (const [place, call] of whole.toolCalls.entries()) {
            if (cut && place === whole.toolCalls.length - 1) continue;
            const args: unknown = JSON.parse(call.arguments);
            expect(typeof args === 'object' && args !== null && !Array.isArray(args), text).toBe(true);
          }
        },
      ),
      { numRuns: runs },
    );
  }, 900_000);

  it.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
    'closing tags of %s with another prefix or a misspelled one are read alike, however they are cut',
    (name, dialect) => {
      // Long enough that its parameter is handed on before the end of the text.
      const command = `echo ${'hi '.repeat(50)}`;
      const call = dialect.renderCall({ id: 'functions.bash:1', name: 'bash', arguments: JSON.stringify({ command }) });
      const closers = [...call.matchAll(/<\/[\w:]+>/g)].map((found) => found.index + 2);
      const misspelled = (at: number): string[] => [
        `${call.slice(0, at)}x:${call.slice(at)}`,
        call.slice(0, at) + call.slice(at).replace(/^\w+/, (word) => word + word.at(-1)),
        call.slice(0, at) + call.slice(at).replace(/^\w+:/, ''),
      ];
      for (const text of new Set(closers.flatMap(misspelled)))
        for (const dialectUsed of [name, 'auto']) {
          const read = (chunk: number | readonly number[] | 'whole') =>
            parseText({ text, tools, dialect: dialectUsed, chunk, finishReason: 'stop' });
          const whole = read('whole');
          for (const chunk of [1, 2, ...Array.from(text, (_, at) => [at])])
            expect(read(chunk), `${JSON.stringify(text)} in pieces of ${chunk}`).toEqual(whole);
        }
    },
  );

  it('D-5 valid JSON arguments keep their bytes', () => {
    const json = fc.json({ maxDepth: 4 }).filter((text) => text.startsWith('{'));
    const spaced = fc
      .tuple(json, fc.constantFrom('', ' ', '\n', '\t'))
      .map(([text, space]) => text.replace(/^\{/, `{${space}`).replace(/\}$/, `${space}}`));
    const odd = fc.constantFrom(
      '{"a":1e400}',
      '{"a":12345678901234567890}',
      '{"a":1,"a":2}',
      '{"a":"\\u00e9\\/"}',
      '{"a":-0.0E+1}',
      '{"__proto__":{"x":1}}',
      '{ }',
    );
    const untyped = new ToolTable([{ name: 'f' }]);
    fc.assert(
      fc.property(fc.oneof(spaced, odd), fc.integer({ min: 1, max: 9 }), (args, chunk) => {
        const text = `<tool_call>\n{"name": "f", "arguments": ${args}}\n</tool_call>`;
        for (const holdBytes of [null, 0]) {
          const read = parseText({ text, tools: untyped, dialect: 'hermes', chunk, finishReason: 'stop', holdBytes });
          expect(read.toolCalls.map((call) => call.arguments)).toEqual([args]);
        }
        const pieces = args.match(new RegExp(`[\\s\\S]{1,${chunk}}`, 'g')) ?? [];
        const events: UpstreamEvent[] = pieces.map((piece, place) => ({
          type: 'call-fragment',
          choice: 0,
          index: 0,
          ...(place === 0 && { id: 'a', name: 'f' }),
          arguments: piece,
        }));
        const stage = parseCalls({
          tools: untyped,
          dialect: 'auto',
          strategyUsed: 'native',
          holdBytes: 8,
          toolChoice: 'auto',
          parallel: true,
        });
        const { out } = runSync(stage, [...events, { type: 'turn-end', choice: 0, reason: 'tool_calls' }]);
        expect(out.map((event) => (event.type === 'tool-delta' ? event.json : '')).join('')).toBe(args);
      }),
      { numRuns: 500 },
    );
  });
});

/** Milliseconds of processor time of a reading in whole and in 1000-character pieces. */
function timed(text: string, dialect: string): number {
  const start = process.cpuUsage();
  for (const chunk of ['whole', 1000] as const) parseText({ text, tools, dialect, chunk, finishReason: 'stop' });
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

describe('hostile inputs take linear time', () => {
  const mega = 1_000_000;
  const inputs: Record<string, string> = {
    'nested lists, 100 000 deep': `<tool_call>{"name":"bash","arguments":{"command":${'['.repeat(100_000)}${']'.repeat(100_000)}}}</tool_call>`,
    'nested objects, never closed': `<tool_call>{"name":"bash","arguments":${'{"a":'.repeat(100_000)}`,
    'a string of 10 MB': `<tool_call>{"name":"bash","arguments":{"command":"${'x'.repeat(10 * mega)}"}}</tool_call>`,
    'a raw value of 10 MB': `<tool_call>\n<function=bash>\n<parameter=command>\n${'x<y '.repeat(2.5 * mega)}\n</parameter>\n</function>\n</tool_call>`,
    'openers that are never closed': '<tool_call>'.repeat(100_000),
    'calls that are never closed': '<tool_call>{"name":"bash","arguments":{"command":"'.repeat(100_000),
    'calls that break': '<tool_call>{"name":"bash","arguments":{"command": oops '.repeat(50_000),
    'broken arguments with many quotes': `<tool_call>{"name":"bash","arguments":{"command":"${'a "b" '.repeat(100_000)}"}}</tool_call>`,
    'objects before the name': '<tool_call>{"arguments":"'.repeat(20_000),
    fences: '```json\n'.repeat(100_000),
    'empty fences': '```\n'.repeat(100_000),
    'empty fences after empty lines': '\n```\n'.repeat(100_000),
    'fenced openers': '```\n<tool_call>{"name":"git_status"}</tool_call>\n'.repeat(10_000),
    backticks: '`'.repeat(mega),
    'white space': ' \n'.repeat(mega),
    'white space behind a quote': `<tool_call>{"name":"bash","arguments":{"command":"a"${' '.repeat(mega)}x`,
    'half closers': `<tool_call>\n<function=bash>\n<parameter=command>\n${`</parameter>${' '.repeat(300)}x`.repeat(5000)}`,
    'think tags': '<think>\n'.repeat(100_000),
    'closing think tags': '\n</think>\n'.repeat(100_000),
    'escaped markup': '&lt;tool_call&gt;'.repeat(50_000),
    'turn tokens': '<|im_end|>'.repeat(100_000),
    'a lone surrogate each': `<tool_call>{"name":"bash","arguments":{"command":"${'\ud83d'.repeat(mega)}"}}</tool_call>`,
    'prototype keys': `<tool_call>{"name":"bash","arguments":{${'"__proto__":{"a":1},'.repeat(20_000)}"command":"a"}}</tool_call>`,
    'duplicate keys': `<tool_call>{"name":"bash","arguments":{${'"command":"a",'.repeat(50_000)}"command":"b"}}</tool_call>`,
    commas: `<tool_call>{"name":"bash","arguments":{${','.repeat(mega)}`,
    comments: `<tool_call>{"name":"bash","arguments":{${'/* */'.repeat(200_000)}}}</tool_call>`,
    numbers: `<tool_call>{"name":"bash","arguments":{"command":${'9'.repeat(mega)}}}</tool_call>`,
    'DSML parameters': `<｜DSML｜tool_calls><｜DSML｜invoke name="bash">${'<｜DSML｜parameter name="command" string="true">a</｜DSML｜parameter>'.repeat(20_000)}`,
    pythonic: `[bash(${'command="a", '.repeat(50_000)}`,
    gemma: `call:bash{${'command:a,'.repeat(50_000)}}`,
    channels: '<|channel|>analysis<|message|>'.repeat(50_000),
  };
  for (const [about, text] of Object.entries(inputs)) {
    it(about, () => {
      const dialect = about === 'pythonic' ? 'pythonic-llama' : about === 'gemma' ? 'gemma4' : 'auto';
      // far below what quadratic time would take, far above what a slow machine needs
      expect(timed(text, dialect)).toBeLessThan(8000 + text.length / 1000);
    }, 60_000);
  }

  const plain = '  const value = await compute(42, { retries: 3, label: "row 42" });\n';
  const filled = (piece: string): string => `x${piece.repeat(mega / piece.length)}`;
  // A plain text of a megabyte takes a few milliseconds; what only looks like the start of a word may not take much longer.
  it.each(['<', '<|', '</', '<t', '<tool_cal', '<｜', '[', '{', '`a', '|', '✿', '&lt;', 'fu', '\n<', '\n[', '\n\n'])(
    'a megabyte of %j costs about as much as one of code',
    (piece) => {
      const best = (text: string): number => Math.min(timed(text, 'hermes'), timed(text, 'hermes'));
      const code = best(filled(plain));
      expect(best(filled(piece))).toBeLessThan(20 * Math.max(code, 10));
    },
  );

  it('names that might become calls, in small pieces', () => {
    const text = `\n\`\`\`tool_code\na${' '.repeat(150)}!\n\`\`\`\n`.repeat(5000);
    const start = process.cpuUsage();
    parseText({ text, tools, dialect: 'auto', chunk: 4, finishReason: 'stop' });
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(2500);
  }, 60_000);

  it.each([
    ['in a fence', (calls: string) => `\`\`\`json\n{"tool_calls":[${calls}]}\n\`\`\``],
    ['in reasoning', (calls: string) => `<think>\`\`\`json\n{"tool_calls":[${calls}]}\n\`\`\``],
  ])('hundreds of thousands of calls %s overflow nothing', (_, around) => {
    const calls = Array(200_000).fill('{"name":"git_status","arguments":{}}').join(',');
    const read = parseCalls({
      tools,
      dialect: 'auto',
      strategyUsed: 'prompt',
      holdBytes: 1024,
      toolChoice: 'auto',
      parallel: true,
    });
    const events: UpstreamEvent[] = [
      { type: 'text-delta', choice: 0, text: around(calls) },
      { type: 'turn-end', choice: 0, reason: 'stop' },
    ];
    expect(() => runSync(read, events)).not.toThrow();
  });

  it('security 15: a schema cannot stall the check', () => {
    const loop: JsonObject = { $ref: '#/properties/command' };
    const evil = new ToolTable([
      {
        name: 'bash',
        parameters: {
          type: 'object',
          properties: {
            command: loop,
            deep: { anyOf: Array.from({ length: 10_000 }, () => ({ $ref: '#' })) },
            text: { type: 'string', pattern: '^(a+)+$' },
          },
        },
      },
    ]);
    const text = `<tool_call>{"name":"bash","arguments":{"command":{"a":[1]},"deep":${'{"deep":'.repeat(500)}1${'}'.repeat(500)},"text":"${'a'.repeat(50_000)}!"}}</tool_call>`;
    const start = cpuMs();
    const read = parseText({ text, tools: evil, dialect: 'hermes', chunk: 'whole', finishReason: 'stop' });
    expect(read.toolCalls).toHaveLength(1);
    expect(cpuMs() - start).toBeLessThan(3000);
  });
});
