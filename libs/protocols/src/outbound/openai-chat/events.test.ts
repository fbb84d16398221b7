import type { JsonObject, UpstreamEvent } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { chatEvents } from './events.ts';

const chunk = (content: string, more: JsonObject): string =>
  JSON.stringify({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 5,
    model: 'm',
    ...more,
    choices: [{ index: 0, delta: { content } }],
  });

const sizes = [1, 2, 3, 7, 300];

it.each([
  ...sizes.map((size) => [size, {}] as const),
  ...sizes.map((size) => [size, { system_fingerprint: 'fp_1' }] as const),
])('of events that come %i at a time, with %j, at most a few take the slow path', (size, more) => {
  let received = '';
  let plain = 0;
  const parser = chatEvents()({
    push(event: UpstreamEvent) {
      if (event.type === 'text-delta') received += event.text;
    },
    pushText(text) {
      received += text;
      plain += 1;
      return true;
    },
    flush() {},
    end() {},
  });
  const words = Array.from({ length: 600 }, (_, at) => `word ${at} `);
  for (let at = 0; at < words.length; at++) {
    parser.push(chunk(words[at] ?? '', more));
    if ((at + 1) % size === 0) parser.flush();
  }
  expect(received).toBe(words.join(''));
  expect(plain).toBeGreaterThan(590);
});
