import { afterEach, beforeEach, expect, it } from 'vitest';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { type Behavior, chunk, done, json, open, role, stop, stream, testUpstream, text } from './test-upstream.ts';

const upstream = await testUpstream();
let proxy: TestProxy;

beforeEach(async () => {
  proxy = await startProxy(
    ['m', 'other'].map((name) => ({ name, baseUrls: [upstream.baseUrl], upstream: { firstByteTimeoutMs: 400 } })),
  );
});
afterEach(() => proxy.close());

const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object', properties: {} } } }];

const ask = (more: object = {}, signal?: AbortSignal): Promise<Response> =>
  postJson(
    proxy,
    '/v1/chat/completions',
    { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }], ...more },
    { ...(signal && { signal }) },
  );

const fine = stream(role, text('fine'), stop, done);
const noTools = json(400, { error: { message: '"auto" tool choice requires --enable-auto-tool-choice' } });
const noSeed = json(400, { error: { message: "Unsupported parameter: 'seed' is not supported with this model." } });
const completions = () => upstream.received.filter(({ url }) => url.endsWith('/chat/completions'));

it('D-37 a refused parameter is learned of this model there, with what the upstream said, and of no other model', async () => {
  upstream.behave(noSeed, fine);
  await (await ask({ seed: 1 })).text();
  expect(proxy.snapshot.learned).toEqual([
    {
      modelId: 'model_m',
      upstreamId: expect.any(String),
      what: 'parameter:seed',
      value: false,
      engineVersion: '1.0',
      reason: "Unsupported parameter: 'seed' is not supported with this model.",
    },
  ]);
  upstream.behave(fine);
  await (await ask({ seed: 1 })).text();
  await (await ask({ seed: 1, model: 'other' })).text();
  expect(completions().map(({ body }) => 'seed' in body)).toEqual([false, true]);
});

const nothing: [string, Behavior][] = [
  ['a 429', json(429, { error: { message: 'slow down' } })],
  ['a 500', json(500, { error: { message: 'CUDA out of memory' } })],
  ['silence', () => {}],
  [
    'a hang-up',
    (response) => {
      response.destroy();
    },
  ],
  [
    'a stream that breaks off before its first token',
    (response) => {
      open(response);
      response.write(role);
      setTimeout(() => response.destroy(), 10);
    },
  ],
  ['an empty answer', stream(role, stop, done)],
];

it.each(nothing)('D-37 %s after the refusal teaches nothing', async (_, second) => {
  upstream.behave(noTools, second);
  await (await ask({ tools })).text();
  expect(
    completions()
      .map(({ body }) => 'tools' in body)
      .slice(0, 2),
  ).toEqual([true, false]);
  upstream.behave(noSeed, second);
  await (await ask({ seed: 1 })).text();
  expect(proxy.snapshot.learned).toEqual([]);
});

it.each(nothing)('D-37 %s instead of a response teaches nothing', async (_, first) => {
  upstream.behave(first, fine);
  await (await ask({ tools, seed: 1 })).text().catch(() => {});
  expect(proxy.snapshot.learned).toEqual([]);
});

it.each([true, false])(
  'D-37 a client that disconnects before the first output teaches nothing (stream %s)',
  async (streams) => {
    const hangUp = new AbortController();
    upstream.behave(noTools, (response) => {
      if (streams) {
        open(response);
        response.write(role);
      }
      setTimeout(() => hangUp.abort(), 20);
    });
    await ask({ tools, stream: streams }, hangUp.signal)
      .then((reply) => reply.text())
      .catch(() => {});
    await upstream.received[1]?.hungUp;
    await proxy.proxy.stop(1000);
    expect(proxy.snapshot.learned).toEqual([]);
  },
);

const unsupported = (name: string) =>
  `'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property '${name}' is unsupported)]`;
const forbidden = (name: string) =>
  `[{'type': 'extra_forbidden', 'loc': ('body', 'messages', 1, 'assistant', '${name}'), 'msg': 'Extra inputs are not permitted', 'input': 'hm'}]`;
const unknown = (name: string) => `Unknown parameter: 'messages[1].${name}'.`;

it.each([
  ['unsupported', unsupported],
  ['forbidden', forbidden],
  ['unknown', unknown],
])(
  'D-37 past reasoning is left out if its name is %s, and from then on; the request’s own reasoning settings stay',
  async (_, messageAbout) => {
    proxy.snapshot.change('m', { keepsReasoning: { value: true, source: 'declared' } });
    upstream.behave(
      json(400, { error: { message: messageAbout('reasoning') } }),
      json(400, { error: { message: messageAbout('reasoning_content') } }),
      fine,
    );
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'Hello.', reasoning_content: 'hm' },
      { role: 'user', content: 'well?' },
    ];
    const requestBody = { messages, reasoning: { effort: 'low' } };
    expect((await ask(requestBody)).status).toBe(200);
    expect(proxy.snapshot.learned.map(({ what }) => what)).toEqual([
      'parameter:messages.reasoning',
      'parameter:messages.reasoning_content',
    ]);
    upstream.behave(fine);
    expect(await (await ask(requestBody)).text()).toContain('fine');
    expect(completions()).toHaveLength(1);
    const { messages: past, reasoning } = completions()[0]?.body ?? {};
    expect((past as object[])[1]).toEqual({ role: 'assistant', content: 'Hello.' });
    expect(reasoning).toEqual({ effort: 'low' });
  },
);

it('D-37 the first output is enough, even if the response breaks off after it', async () => {
  upstream.behave(noTools, (response) => {
    open(response);
    response.write(role + text('It begins '));
    setTimeout(() => response.destroy(), 50);
  });
  await (await ask({ tools })).text();
  expect(proxy.snapshot.learned.map(({ what, value }) => [what, value])).toEqual([['native-tools', false]]);
});

it('D-37 evidence contains nothing of the request that an engine repeats', async () => {
  const secret = 'my password is hunter2';
  const errorText = `[{'type': 'extra_forbidden', 'loc': ('body', 'tools'), 'msg': 'Extra inputs are not permitted', 'input': [{'about': '${secret}'}]}]`;
  upstream.behave(json(400, { error: { message: errorText } }), stream(role, text('fine'), chunk({}, 'stop'), done));
  await (await ask({ tools, messages: [{ role: 'user', content: secret }] })).text();
  expect(proxy.snapshot.learned).toHaveLength(1);
  expect(JSON.stringify(proxy.snapshot.learned)).not.toContain('hunter2');
});
