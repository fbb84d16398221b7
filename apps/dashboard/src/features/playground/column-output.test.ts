import type { PlaygroundProgress, PlaygroundResult } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { ColumnOutput } from './column-output.ts';

const after = (...events: PlaygroundProgress[]) => {
  const output = new ColumnOutput();
  for (const event of events) output.push(event);
  return output.shown();
};
const raw = (text: string): PlaygroundProgress => ({ type: 'raw', event: { type: 'text-delta', choice: 0, text } });
const delivered = (text: string): PlaygroundProgress => ({
  type: 'delivered',
  event: { type: 'text-delta', choice: 0, text },
});

it('pieces are joined as they come', () => {
  const shown = after(
    { type: 'attempt' },
    { type: 'begin' },
    raw('Hel'),
    raw('lo'),
    { type: 'raw', event: { type: 'reasoning-delta', choice: 0, text: 'Hm' } },
    { type: 'raw', event: { type: 'call-fragment', choice: 0, index: 0, name: 'read', arguments: '{"a"' } },
    { type: 'raw', event: { type: 'call-fragment', choice: 0, index: 0, arguments: ':1}' } },
    delivered('Hel'),
    { type: 'delivered', event: { type: 'tool-start', choice: 0, index: 0, id: 'c', name: 'read' } },
    { type: 'delivered', event: { type: 'tool-delta', choice: 0, index: 0, json: '{"a":1}' } },
  );
  expect(shown.raw).toMatchObject([[{ choice: 0, text: 'Hello', reasoning: 'Hm', fragments: [{ name: 'read' }, {}] }]]);
  expect(shown.delivered).toMatchObject([
    { text: 'Hel', calls: [{ name: 'read', arguments: '{"a":1}', whole: false }] },
  ]);
  expect(shown.result).toBeUndefined();
});

it('the answer to a retry is appended to the one before; what was delivered begins anew', () => {
  const shown = after(
    { type: 'attempt' },
    { type: 'begin' },
    raw('first'),
    delivered('first'),
    { type: 'attempt' },
    { type: 'begin' },
    raw('second'),
    delivered('second'),
  );
  expect(shown.raw.map(([choice]) => choice?.text)).toEqual(['first', 'second']);
  expect(shown.delivered).toMatchObject([{ text: 'second' }]);
});

it('in the end it is as the gateway says', () => {
  const result = { raw: [], delivered: null, errorCode: 'upstream_error' } as unknown as PlaygroundResult;
  expect(after({ type: 'attempt' }, { type: 'begin' }, raw('Hel'), { type: 'done', result })).toEqual({
    raw: [],
    delivered: null,
    result,
  });
});

it('what was shown does not change when more comes', () => {
  const output = new ColumnOutput();
  for (const event of [{ type: 'attempt' }, { type: 'begin' }, raw('one')] as const) output.push(event);
  const before = output.shown();
  output.push(raw(' two'));
  expect(before.raw[0]?.[0]?.text).toBe('one');
});
