import { Limiter, type LimitStore, windowBegin } from '@callsmith/data/limits';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKey, startProxy, type TestProxy } from './test-proxy.ts';
import { done, json, role, startUpstream, stop, stream, type TestUpstream, text } from './test-upstream.ts';

let upstream: TestUpstream;
let proxy: TestProxy;
const limited = 'sk-limited-0123456789';

/** Counters in memory, of one gateway. */
function memoryStore(): LimitStore {
  const counters = new Map<string, number>();
  return {
    async lease(name, unit, want, limit) {
      const had = counters.get(name) ?? 0;
      const granted = Math.max(0, Math.min(want, limit - had));
      counters.set(name, had + granted);
      const clock = Date.now();
      return { granted, used: had + granted, begins: windowBegin(unit, clock), clock };
    },
    async add(name, _unit, _begins, amount) {
      counters.set(name, (counters.get(name) ?? 0) + amount);
    },
    read: async (name) => counters.get(name) ?? 0,
    acquireStream: async () => true,
    runningStreams: async () => 0,
    releaseStream: async () => {},
    renewStreams: async () => {},
  };
}

beforeAll(async () => {
  // Counters begin anew with the minute.
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 15_000) await new Promise((over) => setTimeout(over, left + 50));
  upstream = await startUpstream();
  proxy = await startProxy([{ name: 'm', baseUrls: [upstream.baseUrl] }], { limiter: new Limiter(memoryStore()) });
  proxy.snapshot.addKey(limited, { id: 'key_limited', requestsPerMinute: 5, tokensPerMinute: 1000n });
}, 30_000);
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const ask = async (path: string, body: object, key = limited) => {
  const reply = await fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], ...body }),
  });
  await reply.text();
  return { status: reply.status, header: (name: string) => reply.headers.get(name) };
};

it('a key’s limits and what remains of them are in the headers of responses and of refusals, by each API’s own names', async () => {
  upstream.behave(
    json(200, {
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 10 },
    }),
  );
  const whole = await ask('/v1/chat/completions', {});
  expect(whole.status).toBe(200);
  expect(whole.header('x-ratelimit-limit-requests')).toBe('5');
  expect(whole.header('x-ratelimit-remaining-requests')).toBe('4');
  expect(whole.header('x-ratelimit-reset-requests')).toMatch(/^(?:\d+s|1m0s)$/);
  expect(whole.header('x-ratelimit-limit-tokens')).toBe('1000');
  expect(Number(whole.header('x-ratelimit-remaining-tokens'))).toBeLessThan(900);

  const message = await ask('/v1/messages', {});
  expect(message.header('anthropic-ratelimit-requests-limit')).toBe('5');
  expect(message.header('anthropic-ratelimit-requests-remaining')).toBe('3');
  expect(message.header('anthropic-ratelimit-tokens-reset')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(message.header('x-ratelimit-limit-requests')).toBeNull();

  const response = await ask('/v1/responses', {
    messages: undefined,
    max_tokens: undefined,
    max_output_tokens: 100,
    input: 'hi',
  });
  expect(response.header('x-ratelimit-remaining-requests')).toBe('2');

  upstream.behave(stream(role, text('ok'), stop, done));
  const streamed = await ask('/v1/chat/completions', { stream: true });
  expect(streamed.header('content-type')).toContain('text/event-stream');
  expect(streamed.header('x-ratelimit-remaining-requests')).toBe('1');

  const tooMany = await ask('/v1/chat/completions', { max_tokens: 5000 });
  expect(tooMany.status).toBe(429);
  expect(tooMany.header('x-ratelimit-remaining-requests')).toBe('0');
  const refused = await ask('/v1/messages', {});
  expect(refused.status).toBe(429);
  expect(refused.header('retry-after')).not.toBeNull();
  expect(refused.header('anthropic-ratelimit-requests-remaining')).toBe('0');
});

it('a key without limits per minute gets no such headers', async () => {
  const { status, header } = await ask('/v1/chat/completions', { stream: true }, apiKey);
  expect(status).toBe(200);
  expect(header('x-ratelimit-limit-requests')).toBeNull();
});
