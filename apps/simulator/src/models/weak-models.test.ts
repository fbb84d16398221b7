import { dialectNamed } from '@callsmith/toolcall';
import { type JsonObject, ToolTable } from '@callsmith/turn';
import { expect, test } from 'vitest';
import { randomFrom } from '../random.ts';
import { type PlayedTurn, playTurn } from '../turn.ts';
import { modelNamed } from './models.ts';

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['path', 'content'],
};
const tools = [{ type: 'function', function: { name: 'write_file', description: 'Writes a file', parameters } }];
const instruction = (n: number) => `Create n${n}.txt containing exactly one line: LINE-${n}`;
const native = (n: number): JsonObject => ({ messages: [{ role: 'user', content: instruction(n) }], tools });
const prompted =
  (dialect: string) =>
  (n: number): JsonObject => {
    const table = new ToolTable([{ name: 'write_file', description: 'Writes a file', parameters }]);
    const system = dialectNamed(dialect)?.renderToolPrompt(table, {}) ?? '';
    return {
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: instruction(n) },
      ],
    };
  };

const turns = (id: string, body: (n: number) => JsonObject): PlayedTurn[] => {
  const controls = modelNamed(id)?.controls;
  if (controls === undefined) throw new Error(`no model ${id}`);
  return Array.from({ length: 200 }, (_, n) => playTurn(body(n), controls, randomFrom(`${id}|${n}`)));
};
const share = (played: readonly PlayedTurn[], holds: (turn: PlayedTurn) => boolean): number =>
  played.filter(holds).length / played.length;

const faulty = (turn: PlayedTurn): boolean => turn.faults.size > 0;
const called = (turn: PlayedTurn): boolean => turn.segments.some((segment) => segment.kind === 'call');
const text = (turn: PlayedTurn): string =>
  turn.segments.map((segment) => (segment.kind === 'content' ? segment.text : '')).join('');

const nativeFaults: [id: string, share: number][] = [
  ['weak-nothing', 0],
  ['weak-leaks', 0.25],
  ['weak-strict', 0.25],
  ['weak-announces', 1 / 3],
  ['weak-thinks', 1 / 3],
  ['weak-empty', 0.2],
  ['weak-arguments', 1 / 3],
  ['weak-unreadable', 1 / 3],
  ['weak-parser', 0.25],
  ['weak-constraint', 0.25],
  ['weak-heeds-constraint', 0.25],
];

test.each(nativeFaults)('%s shows its weakness natively in %f of its calls', (id, expected) => {
  expect(Math.abs(share(turns(id, native), faulty) - expected)).toBeLessThan(0.1);
});

test.each(['weak-leaks', 'weak-announces', 'weak-thinks', 'weak-parser'])('%s is clean by prompt', (id) => {
  expect(share(turns(id, prompted('hermes')), faulty)).toBe(0);
});

test('weak-json breaks calls in JSON, not those in tags', () => {
  expect(Math.abs(share(turns('weak-json', prompted('hermes')), faulty) - 0.5)).toBeLessThan(0.1);
  expect(share(turns('weak-json', prompted('qwen3-coder-xml')), faulty)).toBe(0);
});

test('weak-ignores-tools answers in words when tools are offered, and calls when a prompt describes them', () => {
  expect(share(turns('weak-ignores-tools', native), called)).toBe(0);
  expect(share(turns('weak-ignores-tools', prompted('hermes')), (turn) => text(turn).includes('<tool_call>'))).toBe(1);
});

test('weak-announces says that it will call, and stops', () => {
  const announced = turns('weak-announces', native).filter(faulty);
  expect(announced.every((turn) => !called(turn) && turn.finish === 'stop' && text(turn).endsWith(':'))).toBe(true);
});

test('weak-thinks writes the call into its closed reasoning, and nothing else', () => {
  const [inside] = turns('weak-thinks', native).filter(faulty);
  expect(inside?.segments).toEqual([
    { kind: 'content', text: expect.stringMatching(/^<think>\n[\s\S]*<tool_call>[\s\S]*<\/think>\s*$/) },
  ]);
});

const corrections: Record<string, (n: number) => JsonObject> = {
  natively: (n) => ({
    messages: [
      { role: 'user', content: instruction(n) },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'write_file', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'write_file: "path" is missing. Write the call again, complete.' },
    ],
    tools,
  }),
  'by prompt': (n) => {
    const { messages } = prompted('hermes')(n) as { messages: JsonObject[] };
    const wrong = '<tool_call>\n{"name": "write_file", "arguments": {}}\n</tool_call>';
    const correction = '<tool_response>\n"path" is missing. Write the call again, complete.\n</tool_response>';
    return { messages: [...messages, { role: 'assistant', content: wrong }, { role: 'user', content: correction }] };
  },
};

test.each(Object.entries(corrections))('asked %s to write the call again, 74 of 100 are right', (_, body) => {
  for (const id of ['weak-arguments', 'weak-unreadable']) {
    const again = turns(id, body);
    expect(Math.abs(share(again, faulty) - 0.26)).toBeLessThan(0.08);
    const right = again.filter((turn) => !faulty(turn));
    expect(right.every((turn) => JSON.stringify(turn.segments).includes('LINE-'))).toBe(true);
  }
});

test('a model that follows a constraint writes valid arguments under one; one that only accepts it does not', () => {
  const strict = (n: number): JsonObject => ({
    ...native(n),
    tools: tools.map((tool) => ({ ...tool, function: { ...tool.function, strict: true } })),
  });
  expect(share(turns('weak-heeds-constraint', strict), faulty)).toBe(0);
  expect(share(turns('weak-constraint', strict), faulty)).toBeGreaterThan(0.1);
});
