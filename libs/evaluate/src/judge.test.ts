import { describe, expect, it } from 'vitest';
import { judge, type ProbeAnswer } from './judge.ts';

const call = (name: string, args: unknown, valid = true): ProbeAnswer['calls'][number] => ({
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
  valid,
});
const answerWith = (...calls: ProbeAnswer['calls'][number][]): ProbeAnswer => ({ text: '', calls });
const order = { name: 'order', arguments: { items: [{ sku: 'a', qty: 2 }], note: null } };
const expects = { kind: 'calls', calls: [order] } as const;

describe('one expected call', () => {
  it('is right with its keys in any order', () => {
    expect(judge(answerWith(call('order', '{"note": null, "items": [{"qty": 2, "sku": "a"}]}')), expects).right).toBe(
      true,
    );
  });

  it.each([
    ['a number as text', { items: [{ sku: 'a', qty: '2' }], note: null }, 'items has another value'],
    ['null as text', { items: [{ sku: 'a', qty: 2 }], note: 'null' }, 'note has another value'],
    ['a key left out', { items: [{ sku: 'a', qty: 2 }] }, 'note is missing'],
    ['a key invented', { ...order.arguments, express: false }, 'express is invented'],
    ['no JSON', '{"items": [', 'arguments are not a JSON object'],
  ])('is wrong with %s', (_, args, why) => {
    expect(judge(answerWith(call('order', args)), expects)).toEqual({ right: false, why });
  });

  it('is wrong if another tool, none, or one more is called', () => {
    expect(judge(answerWith(call('run', {})), expects)).toEqual({ right: false, why: 'called run' });
    expect(judge(answerWith(), expects)).toEqual({ right: false, why: 'no call' });
    const twice = answerWith(call('order', order.arguments), call('order', order.arguments));
    expect(judge(twice, expects)).toEqual({ right: false, why: 'one call too many: order' });
  });
});

it('accepts several calls in any order, and counts missing ones', () => {
  const calls = ['a', 'b', 'c'].map((path) => ({ name: 'read', arguments: { path } }));
  const three = { kind: 'calls', calls } as const;
  const made = calls.map(({ name, arguments: args }) => call(name, args));
  expect(judge(answerWith(...made.reverse()), three).right).toBe(true);
  expect(judge(answerWith(...made.slice(0, 1)), three)).toEqual({ right: false, why: '1 of 3 calls' });
});

it('accepts any valid call if one is required', () => {
  expect(judge(answerWith(call('run', {}, false), call('now', {})), { kind: 'any-call' }).right).toBe(true);
  expect(judge(answerWith(call('run', {}, false)), { kind: 'any-call' }).right).toBe(false);
});

describe('text answers', () => {
  const text = (words: string): ProbeAnswer => ({ text: words, calls: [] });

  it('are right if they contain what they must, and no call came', () => {
    expect(judge(text('The station is k7.'), { kind: 'text', holds: ['k7'] }).right).toBe(true);
    expect(judge(text('I do not know.'), { kind: 'text', holds: ['k7'] })).toEqual({
      right: false,
      why: 'the text lacks k7',
    });
    expect(judge(text(' \n'), { kind: 'text', holds: [] })).toEqual({ right: false, why: 'empty' });
    expect(judge({ text: 'k7', calls: [call('now', {})] }, { kind: 'text', holds: ['k7'] }).right).toBe(false);
  });

  it('must ask a question if that is what is right', () => {
    const question = { kind: 'text', holds: [], asks: true } as const;
    expect(judge(text('Which city?'), question).right).toBe(true);
    expect(judge(text('哪个城市？'), question).right).toBe(true);
    expect(judge(text('I need a city.'), question).right).toBe(false);
  });
});

describe('named tools, whatever their arguments', () => {
  const judged = (...calls: ProbeAnswer['calls'][number][]) =>
    judge(answerWith(...calls), { kind: 'tools', names: ['read', 'read', 'list'] });
  const [read, list] = [call('read', { path: 'a' }), call('list', {})];

  it('is right with a valid call of each, in any order', () => {
    expect(judged(list, read, read)).toEqual({ right: true });
  });

  it.each([
    ['no call', [], 'no call'],
    ['a call missing', [list, read], '2 of 3 calls'],
    ['a call too many', [list, read, read, list], 'one call too many: list'],
    ['another tool', [list, call('write', {}), read], 'called write'],
    ['invalid arguments', [list, read, call('read', {}, false)], 'the arguments of read do not satisfy its schema'],
  ])('is wrong with %s', (_what, calls, why) => {
    expect(judged(...calls)).toEqual({ right: false, why });
  });
});
