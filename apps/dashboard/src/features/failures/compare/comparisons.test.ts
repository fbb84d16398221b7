import { expect, it } from 'vitest';
import { betweenRequests, withinRequest } from './comparisons.ts';

const rawOutput = (text: string) => [{ choice: 0, text, reasoning: '', cuts: [], fragments: [] }];

const body = (overrides: object = {}) => ({
  clientRequest: '{"n":1}',
  upstreamRequest: '{"n":2}',
  raw: rawOutput('last'),
  delivered: [{ text: 'last', calls: [] }],
  tries: null,
  rounds: null,
  timeline: null,
  notes: [],
  settings: {},
  ...overrides,
});

const shown = (list: ReturnType<typeof withinRequest>) =>
  list.map(({ name, before, after }) => [name, before.text, after.text]);

it('each try is compared with the one before, the delivered one with the output of the whole request', () => {
  const one = { delivered: false, classes: [], messages: [], upstreamRequest: '{"n":2}' };
  const tries = [
    { ...one, raw: rawOutput('first') },
    { ...one, delivered: true, upstreamRequest: null, raw: [] },
  ];
  expect(shown(withinRequest(body({ tries, upstreamRequest: '{"n":3}' })))).toEqual([
    ['sent', '{"n":1}', '{"n":3}'],
    ['try-2', 'first', 'last'],
    ['try-2-sent', '{"n":2}', '{"n":3}'],
  ]);
});

it('what was not stored is not offered', () => {
  expect(withinRequest(body({ upstreamRequest: null }))).toEqual([]);
  expect(shown(betweenRequests(body({ clientRequest: null, delivered: null }), body()))).toEqual([
    ['upstream', '{"n":2}', '{"n":2}'],
    ['output', 'last', 'last'],
  ]);
});
