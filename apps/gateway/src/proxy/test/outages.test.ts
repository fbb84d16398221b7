import { beforeEach, expect, it } from 'vitest';
import { Breaker } from '../attempts/breaker.ts';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { type Behavior, done, json, role, startUpstream, stop, stream, testUpstream, text } from './test-upstream.ts';

const upstream = await testUpstream();
let proxy: TestProxy;
const names = ['a', 'b', 'c', 'd'];

beforeEach(async () => {
  await proxy?.close();
  proxy = await startProxy(
    names.map((name) => ({ name, baseUrls: [upstream.baseUrl], upstream: { firstByteTimeoutMs: 300 } })),
    { breaker: new Breaker({ failures: 2, restMs: 60_000 }) },
  );
});

const fine = stream(role, text('fine'), stop, done);
/** The models named fail in this way, the others answer. */
const failing = (models: string[], how: Behavior): void =>
  upstream.behave((response, received) =>
    (models.includes(String(received.body.model)) ? how : fine)(response, received),
  );

async function ask(model: string, more: object = {}): Promise<number> {
  const reply = await postJson(proxy, '/v1/chat/completions', {
    model,
    stream: true,
    messages: [{ role: 'user', content: 'hi' }],
    ...more,
  });
  await reply.text();
  return reply.status;
}
const askTwice = async (model: string): Promise<number[]> => [await ask(model), await ask(model)];

const page =
  (status: number, body = ''): Behavior =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(body);
  };

const engineError = { error: { message: 'CUDA error: an illegal memory access was encountered', code: 500 } };

it.each<[string, Behavior, number]>([
  ['its engine’s 500', json(500, engineError), 502],
  ['its engine’s own 503', json(503, { error: { message: 'Loading model', type: 'unavailable_error' } }), 503],
  ['silence', () => {}, 504],
  ['a page of HTML with 500', page(500, '<html>'), 502],
])(
  'D-38 a model that fails with %s is taken out of rotation; its upstream’s other models stay',
  async (_, how, status) => {
    failing(['a'], how);
    expect(await askTwice('a')).toEqual([status, status]);
    const before = upstream.received.length;
    expect(await ask('a')).toBe(503);
    expect(upstream.received.length).toBe(before);
    expect(await ask('b')).toBe(200);
    const { breaker } = proxy.proxy;
    expect([breaker.openUpstreams(), breaker.openModels().map(({ model }) => model)]).toEqual([[], ['a']]);
  },
);

it.each<[string, Behavior]>([
  ['502 and a page', page(502, '<html>Bad Gateway')],
  ['503 and a sentence', page(503, 'upstream connect error')],
  ['504 and nothing', page(504)],
])('D-38 a proxy’s %s concerns the whole upstream', async (_, how) => {
  failing(['a', 'b'], how);
  await ask('a');
  await ask('b');
  expect(await ask('c')).toBe(503);
  expect(proxy.proxy.breaker.openUpstreams()).toHaveLength(1);
});

it('D-38 an upstream that refuses connections is taken out of rotation as a whole', async () => {
  const stopped = await startUpstream();
  await stopped.close();
  const own = await startProxy(
    ['a', 'b', 'c'].map((name) => ({ name, baseUrls: [stopped.baseUrl] })),
    { breaker: new Breaker({ failures: 2, restMs: 60_000 }) },
  );
  await proxy.close();
  proxy = own;
  expect([await ask('a'), await ask('b'), await ask('c')]).toEqual([502, 502, 503]);
  expect(own.proxy.breaker.openModels()).toEqual([]);
});

it('D-38 three models of one upstream that open within a minute open the upstream', async () => {
  failing(['a', 'b', 'c'], json(500, engineError));
  for (const name of ['a', 'b']) await askTwice(name);
  expect(await ask('d')).toBe(200);
  await askTwice('c');
  expect(await ask('d')).toBe(503);
});

it('D-38 a client error, a busy server and an engine that refuses tools are no outage', async () => {
  for (const [status, message] of [
    [400, 'temperature must be non-negative'],
    [429, 'slow down'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice'],
  ] as const) {
    failing(['a'], json(status, { error: { message } }));
    for (let n = 0; n < 4; n++) expect(await ask('a')).toBe(status);
  }
  expect(proxy.proxy.breaker.openModels()).toEqual([]);
});
