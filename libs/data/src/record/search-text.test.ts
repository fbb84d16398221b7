import { expect, it } from 'vitest';
import { argumentPaths, searchText } from './search-text.ts';
import type { TurnBodyRecord } from './turn-record.ts';

const body = (over: Partial<TurnBodyRecord>): TurnBodyRecord => ({
  clientRequest: null,
  upstreamRequest: null,
  raw: [],
  delivered: null,
  notes: [],
  settings: {},
  ...over,
});
const textOf = (request: object) => searchText(body({ clientRequest: JSON.stringify(request) }));

it('a request is found by its response, its calls and the user’s text in any API, the last first', () => {
  const messages = [
    { role: 'system', content: 'rules' },
    { role: 'user', content: 'first' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'second' },
        { type: 'tool_result', content: 'output' },
      ],
    },
  ];
  expect(textOf({ messages })).toBe('second\nfirst');
  expect(textOf({ input: 'one' })).toBe('one');
  expect(
    textOf({ input: [{ role: 'user', content: [{ type: 'input_text', text: 'two' }] }, { type: 'reasoning' }] }),
  ).toBe('two');
  expect(textOf({ prompt: 'three' })).toBe('three');
  const raw = [{ choice: 0, text: 'I read it.', reasoning: '', cuts: [], fragments: [] }];
  const delivered = [{ text: '', calls: [{ name: 'read_file', arguments: '{"path":"a"}' }, null] }];
  expect(searchText(body({ raw, delivered }))).toBe('I read it.\nread_file {"path":"a"}');
});

it('a request of any other form causes no error', () => {
  for (const clientRequest of [
    '',
    '{}',
    '[]',
    '{"input":1}',
    '{"messages":[null,1,{"role":"user","content":[null]}]}',
    '{"a',
  ])
    expect(searchText(body({ clientRequest }))).toBe(/^\{"a|^$/.test(clientRequest) ? clientRequest : '');
  for (const delivered of [null, 1, [], [null], [{ calls: [{ arguments: 1 }] }], { content: null }])
    expect(argumentPaths(body({ delivered }))).toEqual([]);
});

it('only the first 64 Ki units are indexed', () => {
  expect(textOf({ input: 'x'.repeat(200_000) })).toHaveLength(65_536);
});

it('a secret that is hidden by JSON escapes is masked', () => {
  expect(searchText(body({ clientRequest: String.raw`{"input":"\u0073k-abcdefghijklmnopqrstuvwxyz"}` }))).not.toContain(
    'abcdefghijklmnop',
  );
});

it('arguments have paths, and so do those in a list', () => {
  const json = '{"path":"a","edits":[{"at":1,"with":{"text":"b"}},{"at":2}],"tags":["x"]}';
  const delivered = [{ text: '', calls: [{ name: 'edit', arguments: json }] }];
  expect(argumentPaths(body({ delivered }))).toEqual([
    'path',
    'edits',
    'edits.at',
    'edits.with',
    'edits.with.text',
    'tags',
  ]);
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`a${n}`, n])));
  expect(argumentPaths(body({ delivered: [{ calls: [{ name: 'x', arguments: many }] }] }))).toHaveLength(200);
});
