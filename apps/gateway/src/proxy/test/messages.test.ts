import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Heartbeat } from '../response/heartbeat.ts';
import { apiKey, startProxy, type TestProxy } from './test-proxy.ts';
import {
  call,
  chunk,
  done,
  json,
  open,
  role,
  startUpstream,
  stop,
  stream,
  type TestUpstream,
  text,
} from './test-upstream.ts';

let upstream: TestUpstream;
let proxy: TestProxy;
let admitted = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  proxy = await startProxy(
    [
      { name: 'model', strategy: 'native', holdBytes: 4, baseUrls: [upstream.baseUrl] },
      {
        name: 'another',
        strategy: 'native',
        kind: 'openai',
        upstream: { id: 'up_openai' },
        baseUrls: [upstream.baseUrl],
      },
    ],
    {
      heartbeat: new Heartbeat(40),
      limiter: {
        ratesLeft: () => ({}),
        spent: async ({ id }) => {
          if (id === 'key_hasty')
            return { ok: false, kind: 'requests', limit: 1, resetsAt: new Date(Date.now() + 7_000) } as const;
          return undefined;
        },
        reserve: async () => {
          admitted += 1;
          return { ok: false, kind: 'budget', limit: 10, resetsAt: new Date(Date.now() + 60_000) } as const;
        },
      },
    },
  );
  proxy.snapshot.addKey('sk-spent-0123456789', {
    id: 'key_spent',
    budgets: [{ of: 'key', unit: 'tokens', period: 'day', limit: 10, counter: 'budget:key_spent' }],
  });
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const tools = [{ name: 'look', input_schema: { type: 'object', properties: { at: { type: 'string' } } } }];
const about = { model: 'model', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
const version = { 'anthropic-version': '2023-06-01' };

function send(
  path: string,
  {
    method = 'POST',
    body = about,
    headers = { 'x-api-key': apiKey },
  }: { method?: string; body?: object | string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const requestBody =
    method === 'GET' || method === 'HEAD' ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(proxy.url + path, {
    method,
    headers: { ...version, 'content-type': 'application/json', ...headers },
    ...(requestBody !== undefined && { body: requestBody }),
  });
}

const whole = (message: object, finish = 'stop') =>
  json(200, {
    id: 'up-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 5, completion_tokens: 2 },
  });

const errorOf = async (response: Response): Promise<{ type: string; message: string }> => {
  const body = (await response.json()) as {
    type: string;
    error: { type: string; message: string };
    request_id: string;
  };
  expect(body.type).toBe('error');
  expect(body.request_id).toBe(response.headers.get('request-id'));
  return body.error;
};

it('a response carries the id of its request in the header that clients of the API read', async () => {
  upstream.behave(whole({}));
  const response = await send('/v1/messages?beta=true', {
    headers: { 'x-api-key': apiKey, 'anthropic-beta': 'fine-grained-tool-streaming-2025-05-14,other' },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('request-id')).toMatch(/./);
  expect(await response.json()).toMatchObject({
    type: 'message',
    content: [{ type: 'text', text: 'Hello' }],
    usage: { input_tokens: 5, output_tokens: 2 },
  });
});

describe('keys', () => {
  it.each([
    [{ 'x-api-key': apiKey }],
    [{ authorization: `Bearer ${apiKey}` }],
    [{ 'x-api-key': apiKey, authorization: `Bearer ${apiKey}` }],
  ])('one key, sent as %j', async (headers) => {
    upstream.behave(whole({}));
    expect((await send('/v1/messages', { headers: headers as Record<string, string> })).status).toBe(200);
  });

  it.each(['/v1/messages', '/v1/messages/count_tokens', '/v1/models', '/v1/models/model'])(
    'two different ones are refused with 403 on %s: a 400 would be retried in six forms',
    async (path) => {
      const headers = { 'x-api-key': apiKey, authorization: 'Bearer sk-another-0123456789' };
      const response = await send(path, { headers, ...(path.startsWith('/v1/models') && { method: 'GET' }) });
      expect(response.status).toBe(403);
      expect((await errorOf(response)).type).toBe('permission_error');
    },
  );
});

/** What is answered to a request whose body does not come, and whether it says when to come again. */
function beforeBody(path: string, key: string): Promise<{ status: number | undefined; again: boolean }> {
  const { hostname, port } = new URL(proxy.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        path,
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json', 'content-length': '1000' },
      },
      (response) => {
        resolve({ status: response.statusCode, again: Number(response.headers['retry-after']) > 0 });
        request.destroy();
      },
    );
    request.on('error', reject);
    request.write('{');
  });
}

describe('errors have Anthropic’s form', () => {
  it.each([
    ['401', '/v1/messages', { headers: {} }, 401, 'authentication_error'],
    ['401 of a count', '/v1/messages/count_tokens', { headers: {} }, 401, 'authentication_error'],
    ['401 of the models', '/v1/models', { method: 'GET', headers: {} }, 401, 'authentication_error'],
    ['404 of a model', '/v1/messages', { body: { ...about, model: 'none' } }, 404, 'not_found_error'],
    ['404 of a listed model', '/v1/models/none', { method: 'GET' }, 404, 'not_found_error'],
    ['404 of a route', '/v1/messages/batches', {}, 404, 'not_found_error'],
    ['404 of a route beside', '/v1/files', {}, 404, 'not_found_error'],
    ['405', '/v1/messages', { method: 'GET' }, 405, 'invalid_request_error'],
    ['413', '/v1/messages', { body: { ...about, system: 'x'.repeat(1100 * 1024) } }, 413, 'request_too_large'],
    ['400', '/v1/messages', { body: '{"model":' }, 400, 'invalid_request_error'],
    ['400 of a query', '/v1/models?limit=many', { method: 'GET' }, 400, 'invalid_request_error'],
    ['429', '/v1/messages', {}, 429, 'rate_limit_error'],
    ['529', '/v1/messages', {}, 529, 'overloaded_error'],
  ])('%s', async (name, path, options, status, type) => {
    if (name === '429') upstream.behave(json(429, { error: { message: 'slow down' } }, { 'retry-after': '7' }));
    if (name === '529') upstream.behave(json(503, { error: { message: 'loading' } }, { 'retry-after': '7' }));
    const response = await send(path, options as Parameters<typeof send>[1]);
    expect(response.status).toBe(status);
    expect((await errorOf(response)).type).toBe(type);
    if (name === '429' || name === '529') expect(response.headers.get('retry-after')).toBe('7');
  });

  it.each([
    ['a 401', 'sk-unknown-0123456789', 401],
    ['a 429', 'sk-hasty-0123456789', 429],
  ])('%s is refused before the body has arrived, on every API', async (_, key, status) => {
    proxy.snapshot.addKey('sk-hasty-0123456789', { id: 'key_hasty', requestsPerMinute: 1 });
    const before = proxy.recorder.turns.length;
    for (const path of ['/v1/messages', '/v1/responses', '/v1/chat/completions', '/v1/embeddings'])
      expect(await beforeBody(path, key)).toEqual({ status, again: status === 429 });
    if (status !== 429) return;
    expect(proxy.recorder.turns.slice(before)).toHaveLength(4);
    expect(proxy.recorder.turns.at(-1)).toMatchObject({ keyId: 'key_hasty', errorCode: 'rate_limit_exceeded' });
  });

  it('a spent budget says not to retry; counting tokens costs none of it', async () => {
    const headers = { 'x-api-key': 'sk-spent-0123456789' };
    const before = admitted;
    const counted = await send('/v1/messages/count_tokens', { headers });
    expect(counted.status).toBe(200);
    expect(admitted).toBe(before);
    const response = await send('/v1/messages', { headers });
    expect(response.status).toBe(403);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect((await errorOf(response)).type).toBe('permission_error');
  });
});

it.each(['GET', 'HEAD'])('%s /api/hello is 200 for anyone', async (method) => {
  for (const path of ['/api/hello', '/v1/api/hello']) {
    const response = await fetch(proxy.url + path, { method });
    expect(response.status).toBe(200);
    await response.text();
  }
});

it('models are listed in this form only for those who send its header', async () => {
  const own = await send('/v1/models?limit=1', { method: 'GET' });
  expect(await own.json()).toEqual({
    data: [{ type: 'model', id: 'model', display_name: 'model', created_at: '1970-01-01T00:00:00Z' }],
    first_id: 'model',
    last_id: 'model',
    has_more: true,
  });
  const next = await send('/v1/models?limit=1&after_id=model', { method: 'GET' });
  expect(await next.json()).toMatchObject({ data: [{ id: 'another' }], has_more: false });
  const before = await send('/v1/models?before_id=another', { method: 'GET' });
  expect(await before.json()).toMatchObject({ data: [{ id: 'model' }], has_more: false });
  const openai = await fetch(`${proxy.url}/v1/models`, { headers: { 'x-api-key': apiKey } });
  expect(await openai.json()).toMatchObject({ object: 'list', data: [{ object: 'model' }, {}] });
});

it('a call is sent in one piece when it is complete, with pings until then', async () => {
  let finish = (): void => {};
  upstream.behave((response) => {
    open(response);
    response.write(role + text('I look.') + call(0, 'look', '{"at":'));
    finish = () => response.end(call(0, undefined, ' "a long place"}') + chunk({}, 'tool_calls') + done);
  });
  const response = await send('/v1/messages', { body: { ...about, stream: true, tools } });
  let out = '';
  let pinged = 0;
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    out += new TextDecoder().decode(bytes);
    const textAt = out.indexOf('I look.');
    if (textAt === -1 || !out.includes('event: ping', textAt) || pinged++ > 0) continue;
    expect(out).not.toContain('tool_use');
    finish();
  }
  expect(out.match(/input_json_delta/g)).toHaveLength(1);
  expect(out).toContain('"partial_json":"{\\"at\\": \\"a long place\\"}"');
  expect(out).toContain('"stop_reason":"tool_use"');
});

it('D-1 a call that is cut is dropped, and the stream ends with max_tokens', async () => {
  upstream.behave(stream(role, text('I look.'), call(0, 'look', '{"at": "a long'), chunk({}, 'length'), done));
  const out = await (await send('/v1/messages', { body: { ...about, stream: true, tools } })).text();
  expect(out).not.toContain('tool_use');
  expect(out).toContain('"stop_reason":"max_tokens"');
  expect(out).toContain('message_stop');
});

it('a conversation is identified by the client’s own id', async () => {
  upstream.behave(whole({}));
  const headers = { 'x-api-key': apiKey, 'x-claude-code-session-id': 'a-session' };
  await (await send('/v1/messages', { headers })).text();
  await (await send('/v1/messages', { headers, body: { ...about, system: 'Another.' } })).text();
  await (await send('/v1/messages', { headers: { ...headers, 'x-claude-code-session-id': 'b' } })).text();
  const [first, second, third] = proxy.recorder.turns.slice(-3).map(({ conversation }) => conversation);
  expect(first).toBe(second);
  expect(third).not.toBe(first);
});

it('the user’s id goes neither upstream nor into the record; a call’s own user_id stays', async () => {
  upstream.behave(whole({}));
  const user = JSON.stringify({ device: 'd-1', session: 's "1"' });
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: { user_id: '42' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
  ];
  await (await send('/v1/messages', { body: { ...about, messages, tools, metadata: { user_id: user } } })).text();
  expect(upstream.received.at(-1)?.text).not.toContain('d-1');
  const { body, client } = proxy.recorder.turns.at(-1) ?? {};
  expect(body?.clientRequest).toContain('"metadata":{"user_id":""}');
  expect(body?.clientRequest).not.toContain('d-1');
  expect(body?.clientRequest).toContain('"user_id":"42"');
  expect(client).toBe('other');
});

it('requests go upstream as chat completions', async () => {
  upstream.behave(
    whole(
      { content: null, tool_calls: [{ id: 'u', type: 'function', function: { name: 'look', arguments: '{}' } }] },
      'tool_calls',
    ),
  );
  const response = await send('/v1/messages', {
    headers: { 'x-api-key': apiKey, 'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)' },
    body: {
      ...about,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      tools: [...tools, { type: 'web_search_20250305', name: 'web_search' }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      stop_sequences: ['END'],
      metadata: {},
      context_management: { edits: [] },
    },
  });
  expect(response.headers.get('x-callsmith-dropped-parameters')).toBe('tools[1] (web_search_20250305)');
  expect(upstream.received.at(-1)?.body).toEqual({
    model: 'model',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: tools[0]?.input_schema } }],
    tool_choice: 'required',
    parallel_tool_calls: false,
    max_tokens: 100,
    stop: ['END'],
    stream: false,
  });
  expect(await response.json()).toMatchObject({
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', name: 'look', input: {} }],
  });
  expect(proxy.recorder.turns.at(-1)).toMatchObject({ client: 'claude-code', route: '/v1/messages', outcome: 'clean' });
});

it('a stream ends with its usage, with cached tokens apart', async () => {
  const counts = { prompt_tokens: 30, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 20 } };
  const last = `data: ${JSON.stringify({ id: 'up-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: counts })}\n\n`;
  upstream.behave(stream(role, text('Hi'), stop, last, done));
  const out = await (await send('/v1/messages', { body: { ...about, stream: true } })).text();
  expect(out).toContain(
    '"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":20,"output_tokens":4}',
  );
});

describe('a PDF document', () => {
  const body = {
    ...about,
    messages: [
      {
        role: 'user',
        content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } }],
      },
    ],
  };

  it('goes to an upstream that accepts files', async () => {
    upstream.behave(whole({}));
    expect((await send('/v1/messages', { body: { ...body, model: 'another' } })).status).toBe(200);
    expect(upstream.received.at(-1)?.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
        ],
      },
    ]);
  });

  it('is refused by name if the upstream accepts none', async () => {
    upstream.behave(whole({}));
    const response = await send('/v1/messages', { body });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toMatch(/^messages\[0\]: contains a file, such as a PDF document/);
    expect(upstream.received).toEqual([]);
  });
});

describe('cache_control', () => {
  const ephemeral = { type: 'ephemeral' };
  const body = {
    ...about,
    system: [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'And kind.', cache_control: ephemeral },
    ],
    tools: [{ ...tools[0], cache_control: ephemeral }],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'seen', cache_control: ephemeral },
          { type: 'text', text: 'go on', cache_control: ephemeral },
        ],
      },
    ],
  };

  it('goes to an upstream that may use it', async () => {
    upstream.behave(whole({}));
    await (await send('/v1/messages', { body: { ...body, model: 'another' } })).text();
    const { messages } = (upstream.received.at(-1)?.body ?? {}) as { messages: { content: unknown }[] };
    expect(messages.map(({ content }) => content)).toEqual([
      body.system,
      'hi',
      null,
      [{ type: 'text', text: 'seen', cache_control: ephemeral }],
      [{ type: 'text', text: 'go on', cache_control: ephemeral }],
    ]);
  });

  it('is left out for one that does not know it', async () => {
    upstream.behave(whole({}));
    await (await send('/v1/messages', { body })).text();
    expect(upstream.received.at(-1)?.text).not.toContain('cache_control');
    const { messages } = (upstream.received.at(-1)?.body ?? {}) as { messages: { content: unknown }[] };
    expect(messages.at(0)?.content).toBe('Be brief.\nAnd kind.');
  });

  it('D-37 is left out for one that refused it, which is learned', async () => {
    const message = "Unknown parameter: 'messages[0].content[1].cache_control'.";
    upstream.behave(json(400, { error: { message, type: 'invalid_request_error', param: null } }), whole({}));
    expect((await send('/v1/messages', { body: { ...body, model: 'another' } })).status).toBe(200);
    expect(upstream.received.map(({ text: sent }) => sent.includes('cache_control'))).toEqual([true, false]);
    expect(proxy.snapshot.learned.map(({ what }) => what)).toContain('parameter:cache_control');
  });
});

it('D-37 a model that does not reason gets no effort, which is learned', async () => {
  const message = '"model" does not support thinking';
  upstream.behave(json(400, { error: { message, type: 'invalid_request_error', param: null } }), whole({}));
  const body = { ...about, thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
  expect((await send('/v1/messages', { body })).status).toBe(200);
  expect(upstream.received.map(({ body: sent }) => sent.reasoning_effort)).toEqual(['high', undefined]);
  expect(proxy.snapshot.learned.map(({ what }) => what)).toContain('parameter:reasoning_effort');
});
