import { expect, it } from 'vitest';
import { readBfcl } from './bfcl.ts';
import { readJsonLines } from './json-lines.ts';
import { readK2VendorVerifier } from './k2-vendor-verifier.ts';
import { readTranscripts } from './transcripts.ts';

const text = (...lines: unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const tool = { type: 'function', function: { name: 'ring', parameters: { type: 'object' } } };

it('BFCL: native replies are matched with their case, with types and names as its models were offered them', () => {
  const question = [[{ role: 'user', content: 'Ring twice.' }]];
  const parameters = {
    type: 'dict',
    properties: { times: { type: 'float' }, who: { type: 'any' } },
    required: ['times'],
  };
  const cases = text({ id: 'simple_python_0', question, function: [{ name: 'bell.ring', parameters }] });
  const answers = text({ id: 'simple_python_0', ground_truth: [{ 'bell.ring': { times: [2] } }] });
  const { recordings } = readBfcl(
    text({ id: 'simple_python_0', result: [{ bell_ring: '{"times": 2}' }] }),
    (category) => (category === 'simple_python' ? { cases, answers } : undefined),
  );
  expect(recordings).toEqual([
    {
      id: 'simple_python_0',
      group: 'simple_python',
      messages: question[0],
      tools: [
        {
          type: 'function',
          function: {
            name: 'bell_ring',
            parameters: {
              type: 'object',
              properties: { times: { type: 'number' }, who: {} },
              required: ['times'],
            },
          },
        },
      ],
      reply: { text: '', reasoning: '', calls: [{ name: 'bell_ring', arguments: '{"times": 2}' }] },
      cut: false,
      expects: { kind: 'calls', rules: 'bfcl', calls: [{ name: 'bell_ring', arguments: { times: [2] } }] },
    },
  ]);
});

it('BFCL: texts keep dotted names, irrelevance expects no call, and what cannot be judged is left out with its reason', () => {
  const one = (id: string, turns = 1) => ({
    id,
    question: Array(turns).fill([{ role: 'user', content: 'Hi' }]),
    function: [{ name: 'a.b', parameters: {} }],
  });
  const file = text(
    { id: 'live_irrelevance_1-0-1', result: '[a.b()]' },
    { id: 'live_irrelevance_2-0-2', result: [] },
    { id: 'live_irrelevance_3-0-3', result: 'Error during inference: 500' },
    { id: 'multi_turn_base_0', result: [[[{ 'a.b': '{}' }]]] },
    { id: 'unheard_0', result: '' },
  );
  const cases = text(
    one('live_irrelevance_1-0-1'),
    one('live_irrelevance_2-0-2'),
    one('live_irrelevance_3-0-3'),
    one('multi_turn_base_0', 2),
  );
  const { recordings, skipped } = readBfcl(file, () => ({ cases }));
  expect(recordings.map(({ reply, expects }) => [reply.text, expects])).toEqual([
    ['[a.b()]', { kind: 'none' }],
    ['', { kind: 'none' }],
  ]);
  expect(recordings[0]?.tools).toMatchObject([{ function: { name: 'a.b' } }]);
  expect(Object.fromEntries(skipped)).toEqual({
    'an error instead of a reply': 1,
    'several turns': 1,
    'its case is not known': 1,
  });
});

it('BFCL: of several turns each step with calls is read, with the functions offered by then', () => {
  const functions = text(
    { name: 'ls', parameters: {} },
    { name: 'cat', parameters: {} },
    { name: 'rm', parameters: {} },
  );
  const cases = text(
    {
      id: 'multi_turn_miss_func_1',
      question: [[{ role: 'user', content: 'Look.' }], []],
      involved_classes: ['GorillaFileSystem'],
      excluded_function: ['rm'],
      missed_function: { 1: ['cat'] },
    },
    { id: 'multi_turn_base_2', question: [[], []], involved_classes: ['NeverHeardOf'] },
  );
  const result = [[[{ ls: '{"a": true}' }], [], [{ ls: '{}' }, { cat: '{}' }]], [[{ cat: '{' }]]];
  const { recordings, skipped } = readBfcl(
    text({ id: 'multi_turn_miss_func_1', result }, { id: 'multi_turn_base_2', result }),
    () => ({ cases }),
    (name) => (name === 'GorillaFileSystem' ? functions : undefined),
  );
  const names = recordings.map(({ tools }) => tools.map((one) => (one.function as { name: string }).name).join());
  expect(recordings.map(({ id, reply, expects }, at) => [id, names[at], reply.calls.length, expects])).toEqual([
    ['multi_turn_miss_func_1:0:0', 'ls', 1, undefined],
    ['multi_turn_miss_func_1:0:2', 'ls', 2, undefined],
    ['multi_turn_miss_func_1:1:0', 'ls,cat', 1, undefined],
  ]);
  expect([...skipped]).toEqual([['its functions are not known', 1]]);
});

it('K2-Vendor-Verifier: requests and responses as they were exchanged', () => {
  const message = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', function: { name: 'ring', arguments: '{' } }],
  };
  const request = { messages: [{ role: 'user', content: 'Ring.' }], tools: [tool] };
  const { recordings, skipped } = readK2VendorVerifier(
    text(
      { data_index: 7, request, response: { choices: [{ message, finish_reason: 'length' }] } },
      { data_index: 8, request, response: null },
    ),
    'k2',
  );
  expect(recordings).toEqual([
    {
      id: 'k2:7',
      group: 'k2',
      ...request,
      reply: { text: '', reasoning: '', calls: [{ name: 'ring', arguments: '{' }] },
      cut: true,
    },
  ]);
  expect([...skipped]).toEqual([['no reply', 1]]);
});

it('JSON lines: the format of parse, with tools for all lines at the end, and both forms of expected answers', () => {
  const { recordings, skipped } = readJsonLines(
    text(
      { about: 'these', tools: [tool.function] },
      { id: 'a', text: 'ring()', expected_calls: [{ name: 'ring', arguments: { x: [1] } }] },
      { text: 'no', expected_calls: [] },
      { message: { content: 'Hm', reasoning_content: 'so', tool_calls: [] }, accepted: [{ ring: { x: [1, 2] } }] },
    ),
    'file',
  );
  expect(recordings.map(({ id, tools, reply, expects }) => [id, tools, reply.text, reply.reasoning, expects])).toEqual([
    ['a', [tool], 'ring()', '', { kind: 'calls', rules: 'exact', calls: [{ name: 'ring', arguments: { x: [[1]] } }] }],
    ['file:3', [tool], 'no', '', { kind: 'none' }],
    [
      'file:4',
      [tool],
      'Hm',
      'so',
      { kind: 'calls', rules: 'bfcl', calls: [{ name: 'ring', arguments: { x: [1, 2] } }] },
    ],
  ]);
  expect([...skipped.values()]).toEqual([1]);
});

it('transcripts: the recorded output of the upstream, with fragments of a call joined', () => {
  const fragments = [
    { index: 0, id: 'c', name: 'ring', arguments: '' },
    { index: 1, name: 'ring', arguments: { x: 1 } },
    { index: 0, arguments: '{"x":2}' },
  ];
  const turn = { id: 'turn_1', model: 'm', errorCode: null };
  const clientRequest = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Ring.' }], tools: [tool] });
  const raw = [{ choice: 0, text: 'Now', reasoning: 'so', cuts: [], fragments }];
  const { recordings, skipped } = readTranscripts(
    text({ turn, body: { clientRequest, raw } }, { turn, body: null }),
    'file',
  );
  expect(recordings).toEqual([
    {
      id: 'turn_1',
      group: 'm',
      messages: [{ role: 'user', content: 'Ring.' }],
      tools: [tool],
      reply: {
        text: 'Now',
        reasoning: 'so',
        calls: [
          { name: 'ring', arguments: '{"x":2}' },
          { name: 'ring', arguments: '{"x":1}' },
        ],
      },
      cut: false,
    },
  ]);
  expect([...skipped.keys()]).toEqual(['its bodies were not stored']);
});
