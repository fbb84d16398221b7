import {
  type InferenceRoute,
  inferenceOpenapi,
  inferenceRoutes,
  inferenceSchemas,
} from '@callsmith/contracts/inference';
import { type Simulator, startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Heartbeat } from '../response/heartbeat.ts';
import { adminKey, apiKey, startProxy, type TestProxy } from './test-proxy.ts';
import { chunk, done, json, open, role, startUpstream, stream, type TestUpstream, text } from './test-upstream.ts';

// A-10: what the running gateway answers is what docs/openapi-inference.json says.

let simulator: Simulator;
let upstream: TestUpstream;
let proxy: TestProxy;
const seen = new Set<string>();

beforeAll(async () => {
  simulator = await startSimulator();
  upstream = await startUpstream();
  const baseUrls = [`${simulator.url}/v1`];
  proxy = await startProxy(
    [
      { name: 'native', upstreamModel: 'sim-native', strategy: 'native', baseUrls },
      { name: 'prompt', upstreamModel: 'sim-refuses-tools', strategy: 'prompt', dialect: 'hermes', baseUrls },
      { name: 'own', strategy: 'native', baseUrls: [upstream.baseUrl] },
      { name: 'down', baseUrls: ['http://127.0.0.1:9/v1'] },
    ],
    { heartbeat: new Heartbeat(100, 60_000) },
  );
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
  await simulator.close();
});

const anthropic = { 'anthropic-version': '2023-06-01' };
const google = { 'x-goog-api-key': apiKey };
const routeOf = (method: string, path: string): InferenceRoute => {
  const found = inferenceRoutes.find((route) => route.method === method && route.path === path);
  if (found === undefined) throw new Error(`the contract has no ${method} ${path}`);
  return found;
};

interface ContractRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** The route's path in the contract. */
  readonly route: string;
  /** The address, where it is not the route's path. */
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly status?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, read as they come.
type Json = any;

/** Asks, and checks the answer and each of its events against the contract of its route. */
async function ask({
  method = 'POST',
  route: name,
  path = name,
  body,
  headers = {},
  status = 200,
}: ContractRequest): Promise<Json> {
  const route = routeOf(method, name);
  const reply = await fetch(proxy.url + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const responseText = await reply.text();
  expect(reply.status, responseText).toBe(status);
  const type = reply.headers.get('content-type') ?? '';
  if (status >= 400) {
    seen.add(`${method} ${name} error`);
    return inferenceSchemas[route.error].parse(JSON.parse(responseText));
  }
  if (type.startsWith('text/event-stream')) {
    seen.add(`${method} ${name} stream`);
    return eventsOf(route, responseText);
  }
  seen.add(`${method} ${name}`);
  if (route.request && body !== undefined) inferenceSchemas[route.request].parse(body);
  const tried = route.replies.map((reply) => inferenceSchemas[reply].safeParse(JSON.parse(responseText)));
  const read = tried.find(({ success }) => success);
  if (read === undefined) throw new Error(`${method} ${name}: ${tried[0]?.error?.message}\n${responseText}`);
  return read.data;
}

function eventsOf(route: InferenceRoute, sse: string): Json[] {
  if (route.event === undefined) throw new Error(`the contract has no events of ${route.path}`);
  const schema = inferenceSchemas[route.event];
  const events: Json[] = [];
  for (const frame of sse.split('\n\n')) {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    if (data === undefined || data === '[DONE]') continue;
    const event = JSON.parse(data);
    if (event.error && route.event !== 'MessageEvent') inferenceSchemas[route.error].parse(event);
    else schema.parse(event);
    events.push(event);
  }
  return events;
}

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const question = 'Read the file hello.txt and say what it says.';

const apis = {
  chat: (model: string, more: object = {}) => ({
    model,
    messages: [{ role: 'user', content: question }],
    tools: [{ type: 'function', function: { name: 'read_file', description: 'Reads a file.', parameters } }],
    stream_options: { include_usage: true },
    ...more,
  }),
  responses: (model: string, more: object = {}) => ({
    model,
    input: question,
    tools: [{ type: 'function', name: 'read_file', description: 'Reads a file.', parameters }],
    ...more,
  }),
  messages: (model: string, more: object = {}) => ({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user', content: question }],
    tools: [{ name: 'read_file', description: 'Reads a file.', input_schema: parameters }],
    ...more,
  }),
};
const geminiBody = (more: object = {}) => ({
  contents: [{ role: 'user', parts: [{ text: question }] }],
  tools: [
    { functionDeclarations: [{ name: 'read_file', description: 'Reads a file.', parametersJsonSchema: parameters }] },
  ],
  ...more,
});
const completions = [
  ['/v1/chat/completions', 'chat'],
  ['/v1/responses', 'responses'],
  ['/v1/messages', 'messages'],
  ['/proxy/chat/completions', 'chat'],
  ['/proxy/responses', 'responses'],
  ['/llm/v1/chat/completions', 'chat'],
  ['/llm/*', 'chat'],
] as const;
const addressOf = (route: string, model: string): string =>
  route === '/llm/*' ? `/llm/${model}/v1/chat/completions` : route;

describe.each(completions)('%s', (route, api) => {
  const requestFor = (model: string, more: object = {}, status = 200): ContractRequest => ({
    route,
    path: addressOf(route, model),
    body: apis[api](model, more),
    status,
  });

  it.each(['native', 'prompt'])('a call and a text response, %s, whole and streamed', async (model) => {
    const call = await ask(requestFor(model));
    expect(JSON.stringify(call)).toContain('hello.txt');
    const events = await ask(requestFor(model, { stream: true }));
    expect(events.length).toBeGreaterThan(2);
    expect(JSON.stringify(events)).toContain('hello.txt');
    await ask(requestFor(model, { tools: [] }));
    await ask(requestFor(model, { tools: [], stream: true }));
  });

  it('reasoning, a cut response, a heartbeat and an error in mid-stream', async () => {
    upstream.behave(stream(role, chunk({ reasoning_content: 'Hm.' }), text('Once'), chunk({}, 'length'), done));
    await ask(requestFor('own', { stream: true }));
    upstream.behave(stream(role, chunk({ reasoning_content: 'Hm.' }), text('Once'), chunk({}, 'content_filter'), done));
    await ask(requestFor('own', { stream: true }));
    upstream.behave(async (response) => {
      open(response);
      response.write(role);
      await new Promise((resolve) => setTimeout(resolve, 300));
      response.end(text('Hi') + chunk({}, 'stop') + done);
    });
    await ask(requestFor('own', { stream: true }));
    upstream.behave(stream(role, text('Once'), 'data: {"error":{"message":"out of memory","code":500}}\n\n'));
    const events = await ask(requestFor('own', { stream: true }));
    expect(JSON.stringify(events.at(-1))).toContain('out of memory');
    upstream.behave(
      json(200, {
        id: 'u',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'Once', reasoning_content: 'Hm.' },
            finish_reason: 'length',
          },
        ],
      }),
    );
    await ask(requestFor('own'));
  });

  it('every kind of error', async () => {
    await ask({ ...requestFor('native', {}, 401), headers: { authorization: 'Bearer sk-unknown-0123456789' } });
    await ask(requestFor('no-such-model', {}, 404));
    await ask(requestFor('native', { temperature: 'hot' }, 400));
    await ask({ ...requestFor('native', {}, 400), body: 'no json' });
    await ask({ ...requestFor('native', {}, 415), headers: { 'content-type': 'text/plain' } });
    upstream.behave(json(500, { error: { message: 'boom' } }));
    await ask(requestFor('own', {}, 502));
    upstream.behave(json(429, { error: { message: 'slow down' } }, { 'retry-after': '0' }));
    await ask(requestFor('own', {}, 429));
  });
});

describe.each(['/v1beta', '/v1'])('%s/models', (base) => {
  const requestFor = (model: string, streams: boolean, more: object = {}, status = 200): ContractRequest => {
    const action = streams ? 'streamGenerateContent' : 'generateContent';
    return {
      route: `${base}/models/*:${action}`,
      path: `${base}/models/${model}:${action}${streams ? '?alt=sse' : ''}`,
      body: geminiBody(more),
      status,
    };
  };

  it.each([
    ['native', false],
    ['native', true],
    ['prompt', false],
    ['prompt', true],
  ])('a call and a text response, %s, streamed: %s', async (model, streams) => {
    expect(JSON.stringify(await ask(requestFor(model, streams)))).toContain('hello.txt');
    await ask(requestFor(model, streams, { tools: [] }));
  });

  it('a stream as an array', async () => {
    const path = `${base}/models/own:streamGenerateContent`;
    upstream.behave(stream(role, text('Once'), 'data: {"error":{"message":"out of memory","code":500}}\n\n'));
    const all = await ask({ ...requestFor('own', true), path });
    expect(JSON.stringify(all.at(-1))).toContain('out of memory');
  });

  it('reasoning, a cut response, a heartbeat and an error in mid-stream', async () => {
    const config = { generationConfig: { thinkingConfig: { includeThoughts: true } } };
    upstream.behave(stream(role, chunk({ reasoning_content: 'Hm.' }), text('Once'), chunk({}, 'length'), done));
    expect(JSON.stringify(await ask(requestFor('own', true, config)))).toContain('"thought":true');
    upstream.behave(async (response) => {
      open(response);
      response.write(role);
      await new Promise((resolve) => setTimeout(resolve, 300));
      response.end(text('Hi') + chunk({}, 'content_filter') + done);
    });
    await ask(requestFor('own', true));
    upstream.behave(stream(role, text('Once'), 'data: {"error":{"message":"out of memory","code":500}}\n\n'));
    const events = await ask(requestFor('own', true));
    expect(JSON.stringify(events.at(-1))).toContain('out of memory');
  });

  it('every kind of error', async () => {
    await ask({ ...requestFor('native', false, {}, 401), headers: { authorization: 'Bearer sk-unknown-0123456789' } });
    await ask(requestFor('no-such-model', false, {}, 404));
    await ask(requestFor('native', true, { generationConfig: { temperature: 'hot' } }, 400));
    await ask({
      ...requestFor('native', true, {}, 400),
      path: `${base}/models/native:streamGenerateContent?alt=proto`,
    });
    await ask({ ...requestFor('native', false, {}, 400), body: 'no json' });
    await ask({ ...requestFor('native', false, {}, 415), headers: { 'content-type': 'text/plain' } });
    upstream.behave(json(429, { error: { message: 'slow down' } }, { 'retry-after': '0' }));
    await ask(requestFor('own', false, {}, 429));
    await ask(requestFor('down', false, {}, 502));
  });

  it('counts, and the models', async () => {
    const counted = { route: `${base}/models/*:countTokens`, path: `${base}/models/native:countTokens` };
    await ask({ ...counted, body: geminiBody() });
    await ask({ ...counted, body: {}, status: 400 });
    await ask({ method: 'GET', route: `${base}/models`, headers: google });
    await ask({ method: 'GET', route: `${base}/models/*`, path: `${base}/models/native`, headers: google });
    await ask({ method: 'GET', route: '/v1beta/models/*', path: '/v1beta/models/none', status: 404 });
  });
});

it('an unreachable server', async () => {
  for (const [route, api] of completions.slice(0, 3)) await ask({ route, body: apis[api]('down'), status: 502 });
});

it('a custom tool, and the old functions, on chat completions', async () => {
  const route = '/v1/chat/completions';
  const messages = [{ role: 'user', content: 'Patch it.' }];
  const call = (name: string, args: string) =>
    json(200, {
      id: 'u',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name, arguments: args } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
  upstream.behave(call('patch', '{"input":"*** Begin"}'));
  const custom = await ask({
    route,
    body: { model: 'own', messages, tools: [{ type: 'custom', custom: { name: 'patch' } }] },
  });
  expect(custom.choices[0].message.tool_calls[0]).toMatchObject({ type: 'custom', custom: { input: '*** Begin' } });
  upstream.behave(call('patch', '{"diff":"x"}'));
  const old = await ask({ route, body: { model: 'own', messages, functions: [{ name: 'patch' }] } });
  expect(old.choices[0]).toMatchObject({
    finish_reason: 'function_call',
    message: { function_call: { name: 'patch' } },
  });
});

it('the tools that run at the client, on responses', async () => {
  const route = '/v1/responses';
  for (const [type, args] of [
    ['shell', '{"commands":["ls"]}'],
    ['local_shell', '{"command":["ls"]}'],
    ['apply_patch', '{"type":"delete_file","path":"a"}'],
  ]) {
    const tool_calls = [{ id: 'a', type: 'function', function: { name: type, arguments: args } }];
    const message = { role: 'assistant', content: null, tool_calls };
    upstream.behave(json(200, { id: 'u', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
    const { output } = await ask({ route, body: { model: 'own', input: 'Go', tools: [{ type }] } });
    expect(output).toMatchObject([{ type: `${type}_call` }]);
  }
});

it('a stored response, from creation to deletion', async () => {
  const { id } = await ask({ route: '/v1/responses', body: apis.responses('native') });
  const of = { route: '/v1/responses/:id', path: `/v1/responses/${id}` };
  expect(await ask({ ...of, method: 'GET' })).toMatchObject({ id });
  const items = { method: 'GET', route: `${of.route}/input_items` } as const;
  expect((await ask({ ...items, path: `${of.path}/input_items` })).data).toHaveLength(1);
  await ask({ ...items, path: `${of.path}/input_items?limit=0`, status: 400 });
  await ask({ route: `${of.route}/cancel`, path: `${of.path}/cancel`, status: 400 });
  expect(await ask({ ...of, method: 'DELETE' })).toMatchObject({ deleted: true });
  await ask({ ...of, method: 'GET', status: 404 });
  await ask({ ...of, method: 'DELETE', status: 404 });
});

it('token counts', async () => {
  await ask({ route: '/v1/responses/input_tokens', body: apis.responses('native') });
  await ask({ route: '/v1/responses/input_tokens', body: { model: 'native' }, status: 400 });
  await ask({ route: '/v1/messages/count_tokens', body: apis.messages('native') });
  await ask({ route: '/v1/messages/count_tokens', body: { model: 'native' }, status: 400 });
});

it.each(['/v1/completions', '/v1/embeddings', '/v1/rerank'])('%s', async (route) => {
  upstream.behave(json(200, { object: 'list', data: [], usage: { prompt_tokens: 1, total_tokens: 1 } }));
  await ask({ route, body: { model: 'own', input: 'x', prompt: 'x' } });
  await ask({ route, body: {}, status: 400 });
});

it('the models, in both forms, and one of them', async () => {
  for (const route of ['/v1/models', '/proxy/models'])
    for (const headers of [{}, anthropic]) await ask({ method: 'GET', route, headers });
  for (const headers of [{}, anthropic])
    await ask({ method: 'GET', route: '/v1/models/*', path: '/v1/models/native', headers });
  await ask({ method: 'GET', route: '/v1/models/*', path: '/v1/models/none', status: 404 });
  await ask({ method: 'GET', route: '/v1/models', headers: { authorization: '' }, status: 401 });
});

it('the pages that help with a wrong address', async () => {
  await ask({ method: 'GET', route: '/v1', headers: { authorization: '' } });
  await ask({ method: 'GET', route: '/v1/api/hello', headers: { authorization: '' } });
  expect(await ask({ method: 'GET', route: '/v1/openapi.json', headers: { authorization: '' } })).toEqual(
    JSON.parse(JSON.stringify(inferenceOpenapi())),
  );
  await ask({ method: 'GET', route: '/proxy/debug/tool-calls', headers: { 'x-admin-key': adminKey } });
  await ask({ method: 'GET', route: '/proxy/debug/tool-calls', status: 401 });
});

it('A-10: the contract has every route, and every route of the contract is tested', () => {
  const inApi = ({ path }: { path: string }): boolean =>
    /^\/(?:v1|v1beta|proxy|llm|mcp)(?:\/|$)/.test(path) && !/^\/v1\/v1/.test(path);
  const served = proxy.routes
    .filter((route) => inApi(route) && route.refuses !== true)
    .flatMap(({ method, path, action }) =>
      [method].flat().map((one) => `${one} ${path}${action === undefined ? '' : `:${action}`}`),
    )
    // Two forms of one stream.
    .filter((one) => !one.startsWith('HEAD ') && !one.endsWith('?alt=sse'));
  const declared = inferenceRoutes.map(({ method, path }) => `${method} ${path}`);
  expect(declared.toSorted()).toEqual(served.toSorted());
  const wanted = inferenceRoutes.flatMap(({ method, path, replies, event }) => [
    ...(replies.length > 0 ? [`${method} ${path}`] : [`${method} ${path} error`]),
    ...(event ? [`${method} ${path} stream`, `${method} ${path} error`] : []),
  ]);
  // These are answered from the database: their tests are beside the statistics and the MCP servers.
  expect(wanted.filter((one) => !seen.has(one))).toEqual(['GET /v1/usage', 'GET /v1/mcp/tools', 'POST /mcp/:server']);
});
