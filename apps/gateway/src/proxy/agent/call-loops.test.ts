import type { Message } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { callLoop } from './call-loops.ts';

const user = (content: string): Message => ({ role: 'user', content });
const reply = (content: string): Message => ({ role: 'assistant', content, calls: [] });
let ids = 0;
const made = (name: string, args: unknown, result: string): Message[] => {
  const id = `c${ids++}`;
  const json = typeof args === 'string' ? args : JSON.stringify(args);
  return [
    { role: 'assistant', content: null, calls: [{ id, name, arguments: json }] },
    { role: 'tool', callId: id, content: result },
  ];
};
const times = (count: number, messagesAt: (at: number) => Message[]): Message[] => [
  user('Go.'),
  ...Array.from({ length: count }, (_, at) => messagesAt(at)).flat(),
];

describe('a loop is detected', () => {
  it('if the same call came three times with the same result, not if it came twice', () => {
    const read = () => made('read', { path: 'a' }, 'x');
    expect(callLoop(times(3, read))).toEqual({ kind: 'calls', tools: ['read'], times: 3 });
    expect(callLoop(times(7, read))).toMatchObject({ times: 7 });
    expect(callLoop(times(2, read))).toBeUndefined();
  });

  it.each([
    ['keys in another order', ['{"a":"x","b":1}', '{"b":1,"a":"x"}', '{ "a": "x", "b": 1 }']],
    ['white space, case and outer quotes', ['{"q":"Foo  bar"}', '{"q":"foo bar "}', '{"q":"FOO bar"}']],
    ['a number as text', ['{"n":5}', '{"n":"5"}', '{"n":5.0}']],
    ['empty values', ['{"q":"x"}', '{"q":"x","limit":null}', '{"q":"x","tags":[],"note":""}']],
    ['arguments that cannot be read', ['{"q": oops', '{"q":  oops', '{"Q": oops']],
  ])('with near-identical arguments: %s', (_, args) => {
    expect(callLoop(times(3, (at) => made('search', args[at], 'none')))).toMatchObject({ kind: 'calls', times: 3 });
  });

  it('if results differ only in numbers', () => {
    const messages = times(3, (at) => made('test', {}, `1 failed in 0.${at}3 s`));
    expect(callLoop(messages)).toMatchObject({ tools: ['test'] });
  });

  it.each([2, 3, 4])('if a round of %i calls repeats', (round) => {
    const messages = times(3 * round, (at) => made(`tool${at % round}`, { path: `p${at % round}` }, 'x'));
    expect(callLoop(messages)).toEqual({
      kind: 'calls',
      tools: Array.from({ length: round }, (_, at) => `tool${at}`),
      times: 3,
    });
  });

  it('if the calls of a round are in one message', () => {
    const both = (): Message[] => [
      {
        role: 'assistant',
        content: null,
        calls: [
          { id: 'a', name: 'x', arguments: '{}' },
          { id: 'b', name: 'y', arguments: '{}' },
        ],
      },
      { role: 'tool', callId: 'b', content: 'two' },
      { role: 'tool', callId: 'a', content: 'one' },
    ];
    expect(callLoop(times(3, both))).toEqual({ kind: 'calls', tools: ['x', 'y'], times: 3 });
  });

  it.each([
    '[ERROR] You did not use a tool in your previous response! Please retry with a tool use.',
    'You didn’t call any tool. Continue with one.',
    'No tool was used in your last message.',
  ])('if a client repeats a request for a tool: %s', (asks) => {
    const pair = (at: number): Message[] => [reply(`I will look, ${at}.`), user(asks)];
    expect(callLoop(times(2, pair))).toEqual({ kind: 'no-call', times: 2 });
    expect(callLoop(times(5, pair))).toEqual({ kind: 'no-call', times: 5 });
    expect(callLoop(times(1, pair))).toBeUndefined();
  });
});

describe('no loop is', () => {
  it.each([
    ['progress: other arguments', times(6, (at) => made('read', { path: 'a', from: at * 100 }, 'x'))],
    ['progress: other results', times(6, (at) => made('next', {}, `entry ${'abcdef'[at]}`))],
    ['what another call ended', [...times(3, () => made('read', {}, 'x')), ...made('write', {}, 'ok')]],
    [
      'what the user asked for each time',
      times(4, () => [...made('test', {}, 'ok'), reply('Done.'), user('Once more.')]),
    ],
    ['calls without results', times(3, () => made('read', {}, 'x').slice(0, 1))],
    ['talk', times(5, () => [reply('Hello.'), user('Which tool did you use?')])],
    ['an empty conversation', []],
  ])('%s', (_, messages) => {
    expect(callLoop(messages)).toBeUndefined();
  });

  it('found in a long conversation without slow scanning', () => {
    const messages = times(20_000, (at) => made('write', { text: `${at}${'x'.repeat(500)}` }, `ok ${at}`));
    const begun = performance.now();
    for (let at = 0; at < 100; at++) callLoop(messages);
    expect(performance.now() - begun).toBeLessThan(250);
  });

  it('searched for in huge arguments', () => {
    const messages = times(3, () => made('write', `{"a":${'[0,'.repeat(300_000)}`, 'x'));
    expect(callLoop(messages)).toMatchObject({ times: 3 });
    const other = times(3, (at) => made('write', `{"a":"${'x'.repeat(1_000_000)}${at}"}`, 'x'));
    const begun = performance.now();
    expect(callLoop(other)).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(100);
  });
});
