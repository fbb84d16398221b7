import { type Message, ToolTable, type Turn } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { prepareNative } from './native.ts';

const turn = (messages: Message[]): Turn => ({
  model: 'm',
  messages,
  tools: new ToolTable(),
  toolChoice: 'auto',
  parallel: true,
  stream: true,
  includeUsage: true,
  n: 1,
  sampling: {},
});
const history: Message[] = ['call_one', 'call_two', 'call_one'].flatMap((id, at): Message[] => [
  { role: 'assistant', content: null, calls: [{ id, name: `tool${at}`, arguments: '{}' }] },
  { role: 'tool', callId: id, content: 'x' },
]);
const ids = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) =>
    message.role === 'tool'
      ? [message.callId]
      : message.role === 'assistant'
        ? message.calls.map((call) => call.id)
        : [],
  );

it('L-2: is the identity for models without rules of their own', () => {
  const whole = turn(history);
  expect(prepareNative(whole, 'hermes')).toBe(whole);
});

it('Mistral gets nine letters or digits, unique, the same at every turn, results with their calls', () => {
  const first = ids(prepareNative(turn(history.slice(0, 4)), 'mistral-v11').messages);
  const all = ids(prepareNative(turn(history), 'mistral-v11').messages);
  expect(all.every((id) => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true);
  expect(all.slice(0, 4)).toEqual(first);
  expect(new Set(all).size).toBe(3);
  for (let at = 0; at < all.length; at += 2) expect(all[at]).toBe(all[at + 1]);
  const own: Message[] = [
    { role: 'assistant', content: null, calls: [{ id: 'abcDEF123', name: 'f', arguments: '{}' }] },
  ];
  expect(ids(prepareNative(turn(own), 'mistral-array').messages)).toEqual(['abcDEF123']);
});

it('Kimi gets functions.name:count over the whole conversation', () => {
  expect(ids(prepareNative(turn(history), 'kimi-k2').messages)).toEqual([
    'functions.tool0:0',
    'functions.tool0:0',
    'functions.tool1:1',
    'functions.tool1:1',
    'functions.tool2:2',
    'functions.tool2:2',
  ]);
});

it('has no collision in a hundred thousand ids', () => {
  const many: Message[] = [
    {
      role: 'assistant',
      content: null,
      calls: Array.from({ length: 100_000 }, (_, at) => ({ id: `call_${at % 7}`, name: 'f', arguments: '{}' })),
    },
  ];
  expect(new Set(ids(prepareNative(turn(many), 'mistral-array').messages)).size).toBe(100_000);
});
