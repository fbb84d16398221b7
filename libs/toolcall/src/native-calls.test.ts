import { runSync } from '@callsmith/stream';
import { cpuMs } from '@callsmith/testing';
import { fold, ToolTable, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defaultBounds } from './answer-bounds.ts';
import { parseCalls } from './parse-calls.ts';

const tools = new ToolTable([
  {
    name: 'editor',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, new_text: { type: 'string' } },
      required: ['path', 'new_text'],
    },
  },
]);
const raw = JSON.stringify(JSON.stringify({ path: '/w/out.txt', new_text: 'WROTE\n' }));
for (const holdBytes of [1024, null]) {
  for (const size of [1, 4, 7, 1000]) {
    it(`D-7 arguments that are JSON inside a string are read whole, hold ${holdBytes}, in pieces of ${size}`, () => {
      const events: UpstreamEvent[] = [
        { type: 'call-fragment', choice: 0, index: 0, id: 'a', name: 'editor', arguments: '' },
      ];
      for (let at = 0; at < raw.length; at += size)
        events.push({ type: 'call-fragment', choice: 0, index: 0, arguments: raw.slice(at, at + size) });
      events.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
      const { out } = runSync(
        parseCalls({ tools, dialect: 'auto', strategyUsed: 'native', holdBytes, toolChoice: 'auto', parallel: true }),
        events,
      );
      expect(fold(out).choices[0]?.calls.map((call) => call.arguments)).toEqual([
        '{"path":"/w/out.txt","new_text":"WROTE\\n"}',
      ]);
    });
  }
}

// Each of these would take minutes if a piece were looked at again with every further one.
const many = 200_000;
const piece = (args: string, name?: string): UpstreamEvent & { type: 'call-fragment' } => ({
  type: 'call-fragment',
  choice: 0,
  index: 0,
  ...(name !== undefined && { name }),
  arguments: args,
});
const hostile: [string, () => UpstreamEvent[], number][] = [
  ['white space behind the object', () => [piece('{}', 'editor'), ...Array(many).fill(piece(' '))], 1],
  ['white space before it', () => [piece('', 'editor'), ...Array(many).fill(piece(' ')), piece('{}')], 1],
  [
    'a name that does not end',
    () => [
      ...Array(many)
        .fill(null)
        .map((_, at) => piece('', `x${at}`)),
      piece('{}'),
    ],
    1,
  ],
  ['objects glued into one piece', () => [piece('{}'.repeat(20_000), 'other')], 20_000],
  ['objects glued piece by piece', () => Array(20_000).fill(piece('{}', 'other')), 20_000],
  [
    'objects glued behind many calls',
    () => [
      ...Array.from({ length: 40_000 }, (_, index): UpstreamEvent => ({ ...piece('{}', 'other'), index })),
      { ...piece('{}'.repeat(40_000), 'other'), index: 40_000 },
    ],
    80_000,
  ],
];
it.each(hostile)('stays linear and throws nothing: %s', (_, make, calls) => {
  const bounds = { ...defaultBounds, calls: 100_000 };
  const { out, fault } = runSync(
    parseCalls({
      tools,
      dialect: 'auto',
      strategyUsed: 'native',
      holdBytes: 1024,
      toolChoice: 'auto',
      parallel: true,
      bounds,
    }),
    [...make(), { type: 'turn-end', choice: 0, reason: 'tool_calls' }],
  );
  expect([fold(out).choices[0]?.calls.length, fault]).toEqual([calls, undefined]);
});

it('D-5 strict JSON comes out the same in one piece as in many', () => {
  const argumentsOf = (pieces: readonly string[]) =>
    fold(
      runSync(
        parseCalls({
          tools,
          dialect: 'auto',
          strategyUsed: 'native',
          holdBytes: null,
          toolChoice: 'auto',
          parallel: true,
        }),
        [
          ...pieces.map((args, at) => piece(args, at === 0 ? 'other' : undefined)),
          { type: 'turn-end', choice: 0, reason: 'tool_calls' },
        ],
      ).out,
    ).choices[0]?.calls.map((call) => call.arguments);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, '\t'), (object, indent) => {
      const json = JSON.stringify(object, null, indent);
      expect(argumentsOf([json])).toEqual([json]);
      expect(argumentsOf([...json])).toEqual([json]);
    }),
    { numRuns: 300 },
  );
});

/** The longest of what feeding one argument text takes, in milliseconds of processor time, and the arguments that go out. */
function readOne(args: string, reason: 'stop' | 'tool_calls'): { longest: number; argumentsText: string | undefined } {
  // As the gateway feeds it.
  const events: UpstreamEvent[] = [piece('', 'editor')];
  for (let at = 0; at < args.length; at += 4096) events.push(piece(args.slice(at, at + 4096)));
  events.push({ type: 'turn-end', choice: 0, reason });
  const out: TurnEvent[] = [];
  const sink = parseCalls({
    tools,
    dialect: 'auto',
    strategyUsed: 'native',
    holdBytes: null,
    toolChoice: 'auto',
    parallel: true,
  })({ push: (event) => out.push(event), flush: () => {}, end: () => {} });
  let longest = 0;
  const timed = (act: () => void): void => {
    const started = cpuMs();
    act();
    longest = Math.max(longest, cpuMs() - started);
  };
  for (const event of events) timed(() => sink.push(event));
  timed(() => sink.end());
  return { longest, argumentsText: fold(out).choices[0]?.calls[0]?.arguments };
}

const unreadable: readonly (readonly [head: string, unit: string])[] = [
  ["{'a':[", "'b' "],
  ['{"path":"', '"'],
  ['{"path":"', '", "'],
  ['{"path":"', '"}'],
  ['{"path":"', '\\'],
  ['{"path":"a" ', ' '],
  ['', '```json\n{"a":'],
  ['', '{"a":'],
  ['', '[[{'],
  ['', "{'"],
  ['', '<|x|>'],
  ['{"path":', 'C:\\u '],
  ['"', '\\"'],
  ['{"arguments":', '"{'],
  ['{', '/* */'],
  ['{', '"a":1 '],
  ['{"path":"a"}', ' .'],
];
for (const kib of [250, 15 * 1024])
  it.each(unreadable)(`D-39 unreadable arguments of ${kib} KiB hold nothing up: %j %j`, (head, unit) => {
    const text = (head + unit.repeat(Math.ceil((kib * 1024) / unit.length))).slice(0, kib * 1024);
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && least > 250; round += 1) least = Math.min(least, readOne(text, 'stop').longest);
    expect(least).toBeLessThan(250);
  });

it('D-39 argument text of more than 256 Ki characters is repaired no more, but whole objects keep their bytes', () => {
  const whole = (length: number): string => JSON.stringify({ path: 'a', new_text: 'x'.repeat(length) });
  expect(readOne(whole(1_000_000), 'stop').argumentsText).toBe(whole(1_000_000));
  const commented = (length: number): string => `see: ${whole(length)}`;
  expect(readOne(commented(200_000), 'stop').argumentsText).toBe(whole(200_000));
  expect(JSON.parse(readOne(commented(300_000), 'stop').argumentsText ?? '')).toEqual({ input: commented(300_000) });
});

const comments: readonly (readonly [dialect: string, comment: string])[] = [
  ['hermes', '// the file\n'],
  ['hermes', '/* the\nfile */'],
  ['pythonic', '# the file\n'],
  ['pythonic', '#* the file\n'],
];
it.each(comments)('comments in %s are dropped, whole and in pieces: %j', (dialect, comment) => {
  const object = `{"path": "a", ${comment} "lines": 2}`;
  const text =
    dialect === 'hermes'
      ? `<tool_call>{"name": "other", "arguments": {"value": ${object}}}</tool_call>`
      : `[other(value=${object})]`;
  const other = new ToolTable([{ name: 'other', parameters: { type: 'object', properties: { value: {} } } }]);
  for (const size of [1, 2, 3, 7, 15, 1000]) {
    const { out } = runSync(
      parseCalls({
        tools: other,
        dialect,
        strategyUsed: 'prompt',
        holdBytes: null,
        toolChoice: 'auto',
        parallel: true,
      }),
      [
        ...(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map(
          (part): UpstreamEvent => ({ type: 'text-delta', choice: 0, text: part }),
        ),
        { type: 'turn-end', choice: 0, reason: 'stop' },
      ],
    );
    const made = fold(out).choices[0]?.calls.map((call) => JSON.parse(call.arguments) as unknown);
    expect(made, `in pieces of ${size}`).toEqual([{ value: { path: 'a', lines: 2 } }]);
  }
});
