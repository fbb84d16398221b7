import { runSync } from '@callsmith/stream';
import { cpuMs } from '@callsmith/testing';
import {
  type FoldedChoice,
  fold,
  type JsonObject,
  type JsonValue,
  ToolTable,
  type UpstreamEvent,
} from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { parseCalls } from './parse-calls.ts';
import { longestWhole } from './parse-whole.ts';

const filled = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

const toolsTaking = (x: JsonValue): ToolTable =>
  new ToolTable([{ name: 'save', parameters: { type: 'object', properties: { x }, required: ['x'] } as JsonObject }]);

const text = toolsTaking({ type: 'string' });
const numbers = toolsTaking({ type: 'array', items: { type: 'number' } });
const records = toolsTaking({
  anyOf: [{ type: 'array', items: { type: 'object', required: ['a'] } }, { type: 'object' }],
});

interface Options {
  readonly tools: ToolTable;
  readonly dialect?: string;
  readonly native?: boolean;
  readonly holdBytes?: number | null;
}

const stageFor = ({ tools, dialect = 'hermes', native = false, holdBytes = 1024 }: Options) =>
  parseCalls({
    tools,
    dialect,
    dialectDeclared: false,
    strategyUsed: native ? 'native' : 'prompt',
    holdBytes,
    toolChoice: 'auto',
    parallel: true,
  });

function* eventsOf(body: string, native: boolean): Generator<UpstreamEvent> {
  const size = 4096;
  for (let at = 0; at < body.length; at += size) {
    const piece = body.slice(at, at + size);
    if (!native) yield { type: 'text-delta', choice: 0, text: piece };
    else yield { type: 'call-fragment', choice: 0, index: 0, ...(at === 0 && { name: 'save' }), arguments: piece };
  }
  yield { type: 'turn-end', choice: 0, reason: native ? 'tool_calls' : 'stop' };
}

function read(body: string, options: Options): FoldedChoice {
  const { out } = runSync(stageFor(options), [...eventsOf(body, options.native ?? false)]);
  return fold(out).choices[0] as FoldedChoice;
}

const hermes = (x: string): string => `<tool_call>\n{"name": "save", "arguments": {"x": ${x}}}\n</tool_call>`;
const xml = (x: string): string =>
  `<tool_call>\n<function=save>\n<parameter=x>\n${x}\n</parameter>\n</function>\n</tool_call>`;

describe('D-39 what can only be processed as a whole is bounded', () => {
  it.each([
    ['in text', hermes, false],
    ['native', (x: string) => `{"x": ${x}}`, true],
  ] as const)('a call %s is held to its end up to the bound, and then streams', (_, written, native) => {
    const short = JSON.stringify(filled('a line\n', longestWhole / 2));
    const long = JSON.stringify(filled('a line\n', 3 * longestWhole));
    for (const [x, streams] of [
      [short, false],
      [long, true],
    ] as const) {
      const { out } = runSync(stageFor({ tools: text, native, holdBytes: null }), [...eventsOf(written(x), native)]);
      expect(out.filter(({ type }) => type === 'tool-delta').length > 1).toBe(streams);
      expect(fold(out).choices[0]?.calls.map((call) => JSON.parse(call.arguments))).toEqual([{ x: JSON.parse(x) }]);
    }
  });

  it.each([1024, null])('a list in XML is a list up to the bound, and then the text that it is (%s)', (holdBytes) => {
    const options = { tools: numbers, dialect: 'qwen3-coder-xml', holdBytes };
    const list = (length: number): string => `[${filled('11,', length)}11]`;
    const [short, long] = [list(longestWhole / 2), list(2 * longestWhole)];
    expect(JSON.parse(read(xml(short), options).calls[0]?.arguments as string)).toEqual({ x: JSON.parse(short) });
    const large = read(xml(long), options);
    expect(large.calls.map((call) => JSON.parse(call.arguments))).toEqual([{ x: long }]);
    expect(large.notes.map((note) => note.detail)).toContain('unchecked');
  });

  it.each([1024, null])('native arguments that are no object are given up beyond a megabyte (%s)', (holdBytes) => {
    for (const open of ['', '[', '"', '```json\n{"x": "', '{'])
      for (const unit of ['words and words ', 'a']) {
        const choice = read(open + filled(unit, 2 * 1024 * 1024), { tools: text, native: true, holdBytes });
        expect(choice.calls).toEqual([]);
        expect(choice.text).toMatch(/^The model called "save" with more than 1048576 characters of arguments/);
        expect(choice.notes[0]).toMatchObject({ class: 'InvalidJson', action: 'dropped', tool: 'save' });
      }
  });

  it('fits values in few members, and keeps those in many', () => {
    const options = { tools: numbers, native: true, holdBytes: null };
    const of = (count: number): string => `{"x": [${Array.from({ length: count }, () => '"1"').join()}]}`;
    expect(read(of(5000), options).calls[0]?.arguments).toBe(of(5000).replaceAll('"1"', '1'));
    const many = read(of(40_000), options);
    expect(many.calls[0]?.arguments).toBe(of(40_000));
    expect(many.notes.map((note) => note.class)).toEqual(['SchemaMismatch']);
  });

  it('a list that is repeated very often becomes one', () => {
    const body = xml('[1]').replace('<parameter=x>\n[1]\n</parameter>\n', (one) => one.repeat(4000));
    const [call] = read(body, { tools: numbers, dialect: 'qwen3-coder-xml', holdBytes: null }).calls;
    expect(JSON.parse(call?.arguments as string)).toEqual({ x: Array(4000).fill(1) });
  });
});

describe('large values cost little, and never much at a time', () => {
  /** The longest that one piece takes, and the time for a megabyte, in milliseconds of processor time. */
  function costOf(body: string, options: Options): readonly [longest: number, perMegabyte: number] {
    const sink = stageFor(options)({ push() {}, flush() {}, end() {} });
    let [longest, total] = [0, 0];
    for (const event of eventsOf(body, options.native ?? false)) {
      const start = cpuMs();
      sink.push(event);
      const took = cpuMs() - start;
      longest = Math.max(longest, took);
      total += took;
    }
    return [longest, (total / body.length) * 1_000_000];
  }

  const length = 2_000_000;
  const values: Record<string, string> = {
    numbers: `[${filled('1,', length)}1]`,
    lists: `[${filled('[],', length)}[]]`,
    objects: `[${filled('{},', length)}{}]`,
    names: `{${Array.from({ length: length / 12 }, (_, place) => `"k${place}":1`).join()}}`,
    'loose objects': `[${filled("{'a':1,},", length)}]`,
    'a list in a string': JSON.stringify(`[${filled('{},', length)}{}]`),
    quotes: filled('say "a" ', length),
    entities: filled('&quot;', length),
  };
  const forms: readonly (readonly [string, (x: string) => string, Partial<Options>])[] = [
    ['hermes', hermes, {}],
    ['qwen3-coder-xml', xml, { dialect: 'qwen3-coder-xml' }],
    ['react', (x) => `Action: save\nAction Input: ${x}`, { dialect: 'react' }],
    ['native', (x) => `{"x": ${x}}`, { native: true }],
    ['native, fenced', (x) => `\`\`\`json\n{"x": ${x}}\n\`\`\``, { native: true }],
    ['native, escaped', (x) => `{&quot;x&quot;: ${x}}`, { native: true }],
  ];

  it.each(
    forms.flatMap(([form, written, options]) =>
      Object.entries(values).map(([value, x]) => [form, value, written(x), options] as const),
    ),
  )(
    '%s: %s',
    (_form, _value, body, options) => {
      for (const tools of [numbers, records])
        for (const holdBytes of [1024, null]) {
          let [longest, perMegabyte] = [Infinity, Infinity];
          for (let round = 0; round < 3 && (longest > 100 || perMegabyte > 600); round++) {
            const cost = costOf(body, { tools, holdBytes, ...options });
            longest = Math.min(longest, cost[0]);
            perMegabyte = Math.min(perMegabyte, cost[1]);
          }
          // Alone on a machine 50 and 300 at most. What this is to catch took up to 3000 and 800.
          expect(longest).toBeLessThan(200);
          expect(perMegabyte).toBeLessThan(1000);
        }
    },
    60_000,
  );
});
