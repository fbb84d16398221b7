import { expect, it } from 'vitest';
import { prefixBreak } from './prefix.ts';

const user = (content: unknown) => ({ role: 'user', content });
const chat = (messages: unknown[], given: object = {}) => JSON.stringify({ model: 'm', messages, ...given });

it('a request that only goes on breaks nothing, by any API', () => {
  expect(prefixBreak(chat([user('a')]), chat([user('a'), user('b')]))).toBeNull();
  expect(
    prefixBreak(JSON.stringify({ input: 'a' }), JSON.stringify({ input: [user('a'), { type: 'function_call' }] })),
  ).toBeNull();
  const system = [{ type: 'text', text: 's' }];
  expect(prefixBreak(chat([user('a')], { system }), chat([user('a'), user('b')], { system }))).toBeNull();
});

it('marks of where to cache are no part of the prompt', () => {
  const marked = user([{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }]);
  expect(prefixBreak(chat([marked]), chat([user([{ type: 'text', text: 'a' }]), user('b')]))).toBeNull();
});

it.each([
  [
    'a message that changed',
    [user('a'), user('b'), user('c')],
    [user('a'), user('B'), user('c')],
    'Message 2 of 3 (user)',
  ],
  ['a message that was left out', [user('a'), user('b')], [user('b')], 'Message 1 of 2 (user)'],
  ['a history that was cut at its end', [user('a'), user('b')], [user('a')], 'Message 2 of 2 (user)'],
])('%s is named by its place and role', (_, old, now, where) => {
  expect(prefixBreak(chat(old), chat(now))?.where).toBe(where);
});

it('tools and the system prompt come before all messages', () => {
  const one = chat([user('a')], { tools: [{ name: 'x' }], instructions: 'It is 10:00.' });
  expect(prefixBreak(one, chat([user('b')], { tools: [{ name: 'y' }], instructions: 'It is 10:00.' }))?.where).toBe(
    'Tools',
  );
  expect(prefixBreak(one, chat([user('a')]))).toMatchObject({ where: 'Tools', after: null });
  const later = chat([user('a')], { tools: [{ name: 'x' }], instructions: 'It is 10:05.' });
  expect(prefixBreak(one, later)).toEqual({
    where: 'System prompt',
    before: '"It is 10:00."',
    after: '"It is 10:05."',
  });
});

it('of long texts only what is around the first difference is shown', () => {
  const found = prefixBreak(chat([user(`${'x'.repeat(1e6)}1${'y'.repeat(1e6)}`)]), chat([user('x'.repeat(1e6))]));
  expect(found?.before).toMatch(/^…x{24}1y+…$/);
  expect(found?.after).toMatch(/^…x{24}"\}$/);
});

it('what cannot be read, or says only what was added, is not judged', () => {
  expect(prefixBreak('{"messages":[{"ro', chat([]))).toBeUndefined();
  expect(prefixBreak('null', '[]')).toBeUndefined();
  expect(prefixBreak(chat([]), chat([null, 7]))).toBeNull();
  expect(prefixBreak(JSON.stringify({ input: 'a', previous_response_id: 'r' }), chat([]))).toBeUndefined();
});
