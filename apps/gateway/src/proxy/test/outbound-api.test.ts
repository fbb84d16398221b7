import { afterEach, beforeEach, expect, it } from 'vitest';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { type Behavior, done, json, role, stop, stream, testUpstream, text } from './test-upstream.ts';

const upstream = await testUpstream();
let proxy: TestProxy;

beforeEach(async () => {
  proxy = await startProxy([{ name: 'm', baseUrls: [upstream.baseUrl] }]);
});
afterEach(() => proxy.close());

const usage = { prompt_tokens: 1, completion_tokens: 1 };
const byChat = stream(role, text('fine'), stop, `data: ${JSON.stringify({ choices: [], usage })}\n\n`, done);
const byResponses = stream(
  ...[
    { type: 'response.output_text.delta', output_index: 0, delta: 'fine' },
    {
      type: 'response.completed',
      response: { id: 'r', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } },
    },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`),
);
const notFound = json(404, { detail: 'Not Found' });
/** A server that has these APIs. */
const has =
  (...paths: string[]): Behavior =>
  (response, received) => {
    const path = received.url.slice('/v1'.length);
    const good = path === '/responses' ? byResponses : byChat;
    return (paths.includes(path) ? good : notFound)(response, received);
  };

async function ask(): Promise<[status: number, paths: string[]]> {
  upstream.received.length = 0;
  const reply = await postJson(proxy, '/v1/chat/completions', {
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'hi' }],
  });
  const sse = await reply.text();
  if (reply.status === 200) expect(sse).toContain('fine');
  return [reply.status, upstream.received.map(({ url }) => url.slice('/v1'.length))];
}
const declare = (value: 'auto' | 'chat' | 'responses') =>
  proxy.snapshot.change('m', { api: { value, source: 'declared' } });

it('A-12 D-25 a server that has only one API gets requests by it, and that is learned of the model there, with its evidence', async () => {
  upstream.behave(has('/responses'));
  expect(await ask()).toEqual([200, ['/chat/completions', '/responses']]);
  expect(proxy.snapshot.learned).toEqual([
    {
      modelId: 'model_m',
      upstreamId: expect.any(String),
      what: 'api',
      value: 'responses',
      engineVersion: '1.0',
      reason: '/chat/completions: HTTP 404',
    },
  ]);
  expect(await ask()).toEqual([200, ['/responses']]);
  // The server changed: what was learned gives way.
  upstream.behave(has('/chat/completions'));
  expect(await ask()).toEqual([200, ['/responses', '/chat/completions']]);
  expect(await ask()).toEqual([200, ['/chat/completions']]);
});

it('A-12 a server that has neither teaches nothing', async () => {
  upstream.behave(has());
  expect(await ask()).toEqual([502, ['/chat/completions', '/responses']]);
  expect(proxy.snapshot.learned).toEqual([]);
});

it('A-12 a model that the server does not have is no missing API', async () => {
  upstream.behave(json(404, { error: { message: 'The model `m` does not exist.' } }));
  expect(await ask()).toEqual([502, ['/chat/completions']]);
});

it.each([
  ['chat', '/chat/completions'],
  ['responses', '/responses'],
] as const)('A-12 a model that is set to %s uses only that API, whatever was learned', async (api, path) => {
  declare(api);
  const other = path === '/responses' ? 'chat' : 'responses';
  const [route] = proxy.snapshot.model('m')?.routes ?? [];
  proxy.snapshot.change('m', { routes: route ? [{ ...route, api: other }] : [] });
  upstream.behave(has(path));
  expect(await ask()).toEqual([200, [path]]);
  upstream.behave(has());
  expect(await ask()).toEqual([502, [path]]);
  declare('auto');
  expect((await ask())[1][0]).not.toBe(path);
});
