import type { Limiter } from '@callsmith/data/limits';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { Breaker } from '../attempts/breaker.ts';
import { apiKey, postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { type Behavior, done, json, open, startUpstream, stream, type TestUpstream } from './test-upstream.ts';

let upstream: TestUpstream;
let second: TestUpstream;
let proxy: TestProxy;
const reservations: { tokens: number }[] = [];
const finished: number[] = [];

beforeAll(async () => {
  [upstream, second] = await Promise.all([startUpstream(), startUpstream()]);
  proxy = await startProxy(
    [
      { name: 'one', baseUrls: [upstream.baseUrl], upstream: { id: 'up_one' } },
      { name: 'two', baseUrls: [upstream.baseUrl, second.baseUrl] },
    ],
    {
      breaker: new Breaker({ failures: 3, restMs: 60_000 }),
      limiter: {
        ratesLeft: () => ({}),
        spent: async () => undefined,
        reserve: async (_, { tokens }) => {
          reservations.push({ tokens });
          return { ok: true, finish: ({ tokens }) => finished.push(tokens) };
        },
      } satisfies Pick<Limiter, 'reserve' | 'ratesLeft' | 'spent'>,
    },
  );
  proxy.snapshot.addKey('sk-limited-0123456789', { id: 'key_limited', tokensPerMinute: 1000n });
});

afterAll(async () => {
  await proxy.close();
  await Promise.all([upstream.close(), second.close()]);
});

beforeEach(() => {
  upstream.behave(json(200, embeddings));
  second.behave(json(200, embeddings));
});

const embeddings = { object: 'list', data: [{ embedding: [0.1] }], model: 'm', usage: { prompt_tokens: 3 } };
const ask = (body: object, path = '/v1/embeddings', key = apiKey) =>
  fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'two', input: 'word', ...body }),
  });
const lastRow = () => proxy.recorder.turns.at(-1);
const broken: Behavior = (response) => {
  response.destroy();
};
const piece = 'data: {"choices":[{"text":"half"}]}\n\n';

it('D-24 a connection that was reset before any byte is retried on a fresh one', async () => {
  upstream.behave(broken, json(200, embeddings));
  expect(await (await ask({})).json()).toEqual(embeddings);
  await vi.waitFor(() => expect(lastRow()).toMatchObject({ attempts: 2, status: 200, inputTokens: 3 }));
});

it('D-23 a failing upstream fails over to the next one, and a single one is retried', async () => {
  upstream.behave(json(503, { error: { message: 'loading' } }));
  expect(await (await ask({})).json()).toEqual(embeddings);
  expect([upstream.received.length, second.received.length]).toEqual([1, 1]);
  upstream.behave(json(503, { error: { message: 'loading' } }), json(200, embeddings));
  expect((await ask({ model: 'one' })).status).toBe(200);
  expect(lastRow()?.attempts).toBe(2);
});

it('an error in the request itself is not tried elsewhere', async () => {
  upstream.behave(json(400, { error: { message: 'no such input' } }));
  const reply = await ask({});
  expect([reply.status, second.received.length]).toEqual([400, 0]);
});

it('D-23 a response that broke off before its first byte is requested again, a partial one ends', async () => {
  upstream.behave(
    (response) => {
      open(response);
      setTimeout(() => response.destroy(), 20);
    },
    stream(piece, done),
  );
  expect(await (await ask({ model: 'one', stream: true }, '/v1/completions')).text()).toBe(piece + done);
  upstream.behave((response) => {
    open(response);
    response.write(piece);
    setTimeout(() => response.destroy(), 20);
  });
  const half = await ask({ stream: true }, '/v1/completions');
  await expect(half.text()).rejects.toThrow();
  expect(second.received).toHaveLength(0);
  await vi.waitFor(() => expect(lastRow()).toMatchObject({ attempts: 1, errorCode: 'upstream_cut_off' }));
});

it('R-7 the record has token counts: the upstream’s, or estimated ones', async () => {
  const words = 'The quick brown fox jumps over the lazy dog. '.repeat(10);
  const frame = `data: ${JSON.stringify({ choices: [{ text: words }] })}\n\n`;
  upstream.behave(stream(frame, 'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":101}}\n\n', done));
  await (await ask({ model: 'one', stream: true }, '/v1/completions')).text();
  // Not the last row: what was estimated for an earlier request may come later.
  const recorded = (counts: object) =>
    vi.waitFor(() => expect(proxy.recorder.turns).toContainEqual(expect.objectContaining(counts)), { timeout: 20_000 });
  await recorded({ tokenSource: 'upstream', inputTokens: 9, outputTokens: 101 });
  upstream.behave(stream(frame, done));
  await (await ask({ model: 'one', prompt: words, stream: true }, '/v1/completions')).text();
  await recorded({ tokenSource: 'estimated', inputTokens: 101, outputTokens: 101 });
});

it('an HTML page is reported as such', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>Sign in</html>');
  });
  const reply = await ask({ model: 'one' });
  expect([reply.status, await reply.text()]).toEqual([502, expect.not.stringContaining('Sign in')]);
});

it('the breaker counts requests, not attempts, and then takes the upstream out of rotation', async () => {
  const url = await startUpstream();
  const dead = await startProxy([{ name: 'two', baseUrls: [url.baseUrl], upstream: { connectTimeoutMs: 500 } }], {
    breaker: new Breaker({ failures: 2, restMs: 60_000 }),
  });
  url.behave(json(500, { error: { message: 'down' } }));
  const once = () => postJson(dead, '/v1/embeddings', { model: 'two', input: 'word' });
  expect((await once()).status).toBe(502);
  expect(url.received.length).toBe(3);
  expect((await once()).status).toBe(502);
  const left = await once();
  expect([left.status, Number(left.headers.get('retry-after')) > 0]).toEqual([503, true]);
  expect(url.received.length).toBe(6);
  await Promise.all([dead.close(), url.close()]);
});

it('a key’s limits apply here too', async () => {
  const words = 'x'.repeat(400);
  await ask({ input: [words, words, [1, 2, 3]] }, '/v1/embeddings', 'sk-limited-0123456789');
  upstream.behave(json(200, { choices: [{ text: 'a' }], usage: { prompt_tokens: 7, completion_tokens: 5 } }));
  await ask({ prompt: words, max_tokens: 50, n: 2 }, '/v1/completions', 'sk-limited-0123456789');
  expect(reservations).toEqual([{ tokens: 203 }, { tokens: 200 }]);
  expect(finished).toEqual([3, 12]);
});

it('security 10: parameters that would steer a router are left out, and the client is informed', async () => {
  const reply = await ask({ model: 'one', api_base: 'http://169.254.169.254', extra_headers: { a: 'b' }, user: 'me' });
  expect(reply.headers.get('x-callsmith-dropped-parameters')).toBe('api_base, extra_headers');
  expect(upstream.received[0]?.body).toEqual({ model: 'one', input: 'word', user: 'me' });
});

it('an endless body is refused, not retried', async () => {
  const deep = `{"model":"one","input":${'['.repeat(5000)}${']'.repeat(5000)}}`;
  const reply = await fetch(`${proxy.url}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: deep,
  });
  expect([reply.status, await reply.json()]).toMatchObject([400, { error: { code: 'invalid_body' } }]);
  expect(proxy.reportedErrors).toEqual([]);
});

it('D-30 reserved and used tokens are whole numbers, whatever a client or its upstream says', async () => {
  reservations.length = 0;
  finished.length = 0;
  upstream.behave(json(200, { choices: [], usage: { prompt_tokens: 7.4, completion_tokens: -3 } }));
  await (
    await ask({ model: 'one', prompt: 'word', max_tokens: 10.5, n: 1.5 }, '/v1/completions', 'sk-limited-0123456789')
  ).text();
  await expect.poll(() => finished.length).toBe(1);
  expect(reservations.splice(0)).toEqual([{ tokens: 1 + 2 * 11 }]);
  expect(finished).toEqual([7]);
  expect(lastRow()).toMatchObject({ inputTokens: 7, outputTokens: 0 });
});
