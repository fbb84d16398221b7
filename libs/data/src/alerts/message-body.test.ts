import { expect, it } from 'vitest';
import type { AlertMessage } from './alert.ts';
import { messageBody, withAbsoluteLink } from './message-body.ts';

const message: AlertMessage = {
  id: 'dlv_1',
  at: '2026-11-23T00:00:00.000Z',
  event: 'began',
  trigger: 'failed-rate',
  about: { id: 'model_1', name: 'qwen' },
  say: '12 % of 30 requests of qwen failed.',
};
const textOf = (one: AlertMessage): unknown => JSON.parse(messageBody(one, 'slack')).text;

it('a message links to its subject, if the gateway knows its address', () => {
  const linkOf = (more: Partial<AlertMessage>) =>
    withAbsoluteLink({ ...message, ...more }, 'https://tools.example').link;
  expect(linkOf({})).toBe('https://tools.example/models/model_1');
  expect(linkOf({ trigger: 'upstream-down' })).toBe('https://tools.example/upstreams');
  expect(linkOf({ event: 'test', trigger: null, about: null })).toBe('https://tools.example/settings');
  expect(withAbsoluteLink(message, undefined)).toEqual(message);
  expect(JSON.parse(messageBody(message, 'standard'))).toEqual(message);
});

it('Slack gets a text with the link, and whether it began, ended, or is a test', () => {
  expect(textOf(withAbsoluteLink(message, 'https://tools.example'))).toBe(
    ':red_circle: 12 % of 30 requests of qwen failed.\n<https://tools.example/models/model_1|Open Callsmith>',
  );
  expect(textOf({ ...message, event: 'ended' })).toMatch(/^:large_green_circle: /);
  expect(textOf({ ...message, event: 'test' })).toMatch(/^:speech_balloon: /);
});

it.each(['<!channel>', '<@U123>', '<https://evil.example|Open Callsmith>', '@here', '*bold*', '&lt;!here&gt;'])(
  'security: a name cannot mention, link or format anything in Slack: %s',
  (name) => {
    const text = String(textOf({ ...message, say: `Upstream ${name} has not responded.` }));
    expect(text).not.toMatch(/[<>]|@(?!\u200b)|\*(?!\u200b)|&(?!amp;|lt;|gt;)/);
    expect(text).not.toContain(' &lt;!here');
  },
);
