import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { inboundAdapters, openaiError } from '@callsmith/protocols';
import { type Simulator, startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { adminKey, apiKey, postJson, startProxy, type TestProxy } from './test-proxy.ts';

let simulator: Simulator;
let proxy: TestProxy;

beforeAll(async () => {
  simulator = await startSimulator();
  const baseUrls = [`${simulator.url}/v1`];
  proxy = await startProxy([
    { name: 'chat', upstreamModel: 'sim-native', baseUrls },
    { name: 'org/with-slash', upstreamModel: 'sim-native', baseUrls },
    { name: 'demo-chat', upstreamModel: 'sim-native', demo: true, baseUrls },
    { name: 'down', baseUrls: ['http://127.0.0.1:9/v1'] },
    {
      name: 'silent',
      upstreamModel: 'sim-native@faults=hang',
      baseUrls,
      upstream: { id: 'up_silent', firstByteTimeoutMs: 300 },
    },
  ]);
  proxy.snapshot.addKey('sk-demo-0123456789', { id: 'key_demo', kind: 'demo' });
  proxy.snapshot.addKey('sk-narrow-0123456789', { id: 'key_narrow', allowedModels: new Set(['chat']) });
});

afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string; origin: string };
}

const hello = { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] };

async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = { authorization: `Bearer ${apiKey}` },
) {
  const reply = await fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as ErrorBody };
}

const chat = (body: unknown, headers?: Record<string, string>) => post('/v1/chat/completions', body, headers);

describe('keys', () => {
  it('none: 401 that explains how to send one', async () => {
    const { status, body } = await chat(hello, {});
    expect([status, body.error.code]).toEqual([401, 'invalid_api_key']);
    expect(body.error.message).toContain('Authorization: Bearer');
  });

  it('unknown: 401 with a hint of the key and not the key', async () => {
    const { status, body } = await chat(hello, { authorization: 'Bearer sk-unknown-000000003f2a' });
    expect([status, body.error.code]).toEqual([401, 'invalid_api_key']);
    expect(body.error.message).toContain('sk-…3f2a');
    expect(body.error.message).not.toContain('unknown-0');
  });

  it.each(['x', 'none', 'sk-abc', 'sk-cs-0123456789'])('a short one (%s) is described, not shown', async (key) => {
    const { status, body } = await chat(hello, { authorization: `Bearer ${key}` });
    expect([status, body.error.code]).toEqual([401, 'invalid_api_key']);
    expect(body.error.message).toMatch(/^The API key (?:of \d+ characters?|sk-…\w{4}) is unknown/);
    expect(body.error.message).toContain('too short');
  });

  it('security 5: each header is equivalent, and different keys in them are refused', async () => {
    for (const headers of [
      { 'x-api-key': apiKey },
      { 'x-goog-api-key': apiKey },
      { 'api-key': apiKey },
      { authorization: apiKey },
      { authorization: `bearer ${apiKey}` },
    ])
      expect((await chat(hello, headers as Record<string, string>)).status).toBe(200);
    const { status, body } = await chat(hello, { authorization: `Bearer ${apiKey}`, 'x-api-key': 'another' });
    expect([status, body.error.code]).toEqual([400, 'conflicting_api_keys']);
    expect((await chat(hello, { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey })).status).toBe(200);
  });

  it('fails closed when the store is unreachable for too long', async () => {
    proxy.snapshot.stale = true;
    const { status, body, headers } = await chat(hello);
    proxy.snapshot.stale = false;
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'store_unavailable', '5']);
  });
});

describe('models', () => {
  it('unknown: 404 that names the models this key may use', async () => {
    const { status, body } = await chat({ ...hello, model: 'nope' });
    expect([status, body.error.code, body.error.param]).toEqual([404, 'model_not_found', 'model']);
    expect(body.error.message).toContain('chat, org/with-slash');
  });

  it('the demo key opens demo models only', async () => {
    const demo = { authorization: 'Bearer sk-demo-0123456789' };
    expect((await chat({ ...hello, model: 'demo-chat' }, demo)).status).toBe(200);
    const { status, body } = await chat(hello, demo);
    expect([status, body.error.code]).toEqual([404, 'model_not_found']);
    expect(body.error.message).toContain('It may use: demo-chat.');
  });

  it('a key that allows some models lists only those', async () => {
    const narrow = { authorization: 'Bearer sk-narrow-0123456789' };
    const { status, body } = await chat({ ...hello, model: 'demo-chat' }, narrow);
    expect([status, body.error.message.includes('It may use: chat.')]).toEqual([404, true]);
    const list = await fetch(`${proxy.url}/v1/models`, { headers: narrow });
    expect(((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(['chat']);
  });

  it('GET /v1/models needs a key, and carries capabilities', async () => {
    expect((await fetch(`${proxy.url}/v1/models`)).status).toBe(401);
    const reply = await fetch(`${proxy.url}/v1/models`, { headers: { 'api-key': apiKey } });
    const [first] = ((await reply.json()) as { data: { capabilities: object }[] }).data;
    expect(first?.capabilities).toMatchObject({ supports_function_calling: true });
  });
});

describe('addresses', () => {
  it.each(['/chat/completions', '/responses', '/models'])('%s: 404 with the correct base URL', async (path) => {
    const { status, body } = await post(path, hello);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(body.error.message).toBe(`Base URL must end in /v1: ${proxy.url}/v1`);
  });

  it.each(['/v1/v1/chat/completions', '/v1/v1', '/v1/v1/models'])('%s names what to change', async (path) => {
    const { status, body } = await post(path, hello);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(body.error.message).toBe(
      `The path has /v1 twice. Change the client's base URL to ${proxy.url}/v1, or to ${proxy.url} if the client adds /v1 itself.`,
    );
  });

  it('GET / and HEAD / answer probes', async () => {
    const reply = await fetch(`${proxy.url}/`);
    expect([reply.status, await reply.json()]).toEqual([
      200,
      { object: 'service', name: 'callsmith', status: 'ok', base_url: `${proxy.url}/v1` },
    ]);
    expect((await fetch(`${proxy.url}/`, { method: 'HEAD' })).status).toBe(200);
  });

  it.each([
    ['/v1/models/gemini-pro:embedContent', 'Gemini'],
    ['/v1/audio/transcriptions', 'OpenAI'],
    ['/v1/assistants', 'OpenAI'],
    ['/v1/score', 'model server'],
    ['/v1/nothing', ''],
  ])('%s: 404 that names the APIs that are supported', async (path, name) => {
    const { status, body } = await post(path, hello);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(body.error.message).toContain(`There is no route POST ${path}.`);
    expect(body.error.message).toContain(name);
    for (const own of ['POST /v1/chat/completions', 'POST /v1/responses', 'POST /v1/embeddings', 'GET /v1/models'])
      expect(body.error.message).toContain(own);
  });

  it.each([
    ['OPTIONS', '/v1/chat/completions', 204, 'POST'],
    ['OPTIONS', '/v1/responses', 204, 'POST'],
    ['OPTIONS', '/proxy/chat/completions', 204, 'POST'],
    ['OPTIONS', '/v1/models', 204, 'GET, HEAD'],
    ['OPTIONS', '/v1', 204, 'GET, HEAD'],
    ['OPTIONS', '/v1/nothing', 404, null],
    ['HEAD', '/v1/chat/completions', 405, 'POST'],
    ['HEAD', '/v1/embeddings', 405, 'POST'],
    ['HEAD', '/v1', 200, null],
    ['HEAD', '/v1/models', 401, null],
  ])('%s %s: %i', async (method, path, status, allow) => {
    const reply = await fetch(proxy.url + path, { method });
    expect([reply.status, reply.headers.get('allow'), await reply.text()]).toEqual([
      status,
      allow,
      method === 'HEAD' || status === 204 ? '' : expect.any(String),
    ]);
  });

  it.each([
    ['/v1//chat/completions', 'two slashes in a row'],
    ['/v1/chat/completions/', 'ends with a slash'],
  ])('%s: 404 that names the slash', async (path, named) => {
    const { status, body } = await post(path, hello);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(body.error.message).toContain(named);
  });

  it('GET /v1 explains that it is the base URL', async () => {
    const reply = await fetch(`${proxy.url}/v1`);
    expect(await reply.json()).toMatchObject({ base_url: `${proxy.url}/v1` });
  });

  it('an unknown route: 404 in the same form; a wrong method: 405 with the allowed ones', async () => {
    expect(await post('/v1/nothing', {})).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    const reply = await fetch(`${proxy.url}/v1/chat/completions`);
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each(['/llm/org/with-slash/v1/chat/completions', '/llm/org%2Fwith-slash/v1/chat/completions'])(
    'L-1 D-21 %s',
    async (path) => {
      const reply = await post(path, { messages: hello.messages });
      expect([reply.status, (reply.body as unknown as { model: string }).model]).toEqual([200, 'org/with-slash']);
    },
  );

  it('L-1 /llm/v1/chat/completions takes the model from the body, and says if it is missing', async () => {
    expect((await post('/llm/v1/chat/completions', hello)).status).toBe(200);
    const { status, body } = await post('/llm/v1/chat/completions', { messages: hello.messages });
    expect([status, body.error.param]).toEqual([400, 'model']);
  });

  it('security 2: the Host header grants nothing', async () => {
    for (const path of [
      '//v1/chat/completions',
      '/v1/./chat/completions',
      '/%76%31/chat/completions',
      '/v1//chat/completions',
    ]) {
      const reply = await proxy.fastify.inject({
        method: 'POST',
        url: path,
        headers: { host: 'localhost/metrics' },
        payload: hello,
      });
      expect([path, [401, 404, 400].includes(reply.statusCode)]).toEqual([path, true]);
    }
  });
});

describe('bodies', () => {
  it.each([
    ['not JSON', '{"model":', 400, 'invalid_json', null],
    ['empty', '', 400, 'invalid_json', null],
    ['not an object', '[]', 400, 'invalid_body', 'body'],
    ['without messages', { model: 'chat' }, 400, 'missing_parameter', 'messages'],
    [
      'with a nameless tool',
      { ...hello, tools: [{ type: 'function', function: {} }] },
      400,
      'invalid_tool_schema',
      'tools[0].function.name',
    ],
    [
      'with a tool_choice that is not on offer',
      { ...hello, tool_choice: 'required' },
      400,
      'invalid_tool_choice',
      'tool_choice',
    ],
    ['with a temperature that is no number', { ...hello, temperature: 'hot' }, 400, 'invalid_parameter', 'temperature'],
  ])('%s', async (_, requestBody, status, code, param) => {
    const reply = await chat(requestBody);
    expect([reply.status, reply.body.error.code, reply.body.error.param]).toEqual([status, code, param]);
    expect(reply.headers.get('x-request-id')).toBeTruthy();
    expect(reply.headers.get('server-timing')).toMatch(/^callsmith;dur=\d/);
    expect(reply.headers.get('x-callsmith-strategy')).toBe('none');
  });

  it.each([
    ['/v1/chat/completions', '{"model":"chat","messages":[', '{},'],
    ['/v1/responses', '{"model":"chat","input":[', '{"a":[1,2]},'],
    ['/v1/embeddings', '{"model":"chat","input":[', '"a",'],
    ['/v1/completions', '{"model":"chat","prompt":[', '[],'],
  ])('D-39 more than 100,000 members: 400 before the body is complete: %s', async (path, head, item) => {
    const url = new URL(proxy.url);
    const socket = connect(Number(url.port), url.hostname);
    let text = '';
    let closed = false;
    socket
      .on('data', (bytes) => (text += bytes.toString()))
      .on('close', () => (closed = true))
      .on('error', () => (closed = true));
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n${head}${item.repeat(100_001)}`.slice(
        0,
        900_000,
      ),
    );
    await vi.waitFor(() => expect(text).toMatch(/^HTTP\/1\.1 400 /), { timeout: 20_000 });
    expect(text).toContain('The request body has more than 100,000 object members and array elements.');
    await vi.waitFor(() => expect(closed).toBe(true), { timeout: 20_000 });
  });

  it('D-39 members of compressed bodies are counted too, the maximum passes, and tokens are not members', async () => {
    const many = `{"model":"chat","messages":[${'{},'.repeat(100_000)}{}]}`;
    const packed = await chat(gzipSync(many), {
      authorization: `Bearer ${apiKey}`,
      'content-encoding': 'gzip',
    });
    expect(packed).toMatchObject({ status: 400, body: { error: { code: 'invalid_body' } } });
    expect(packed.body.error.message).toContain('100,000 object members');
    const fits = { model: 'chat', messages: [...hello.messages], metadata: { list: Array(90_000).fill(1) } };
    expect((await chat(fits)).body.error?.message ?? '').not.toContain('100,000');
    const picture = { model: 'chat', messages: [{ role: 'user', content: 'data:,{"[,:'.repeat(70_000) }] };
    expect((await chat(picture)).body.error?.message ?? '').not.toContain('members');
    const tokens = await post('/v1/embeddings', { model: 'chat', input: Array(150_000).fill(7) });
    expect(tokens.body.error?.message ?? '').not.toContain('members');
  });

  it('too large: 413, plain or compressed', async () => {
    const large = JSON.stringify({ ...hello, messages: [{ role: 'user', content: 'x'.repeat(1_200_000) }] });
    const auth = { authorization: `Bearer ${apiKey}` };
    expect(await chat(large)).toMatchObject({ status: 413, body: { error: { code: 'body_too_large' } } });
    expect(await chat(gzipSync(large), { ...auth, 'content-encoding': 'gzip' })).toMatchObject({ status: 413 });
    const packed = await chat(gzipSync(JSON.stringify(hello)), { ...auth, 'content-encoding': 'gzip' });
    expect(packed.status).toBe(200);
  });

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['Deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('compressed by %s', async (encoding, pack) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-encoding': encoding };
    expect((await chat(pack(JSON.stringify(hello)), headers)).status).toBe(200);
  });

  it.each(['zstd', 'gzip, gzip'])('compressed by %s: 415 that lists the supported encodings', async (encoding) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-encoding': encoding };
    const { status, body } = await chat(gzipSync(JSON.stringify(hello)), headers);
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
    expect(body.error.message).toContain('gzip, deflate, br');
  });

  it('with a byte order mark is parsed as without', async () => {
    expect((await chat(Buffer.from(`\uFEFF${JSON.stringify(hello)}`))).status).toBe(200);
    const embedded = Buffer.from(`\uFEFF${JSON.stringify({ model: 'chat', input: [1, 2, 3] })}`);
    expect((await post('/v1/embeddings', embedded)).body.error?.code).not.toBe('invalid_json');
  });

  it.each(['', '\uFEFF'])('in UTF-16, starting with "%s", is refused by that encoding', async (mark) => {
    const { status, body } = await chat(Buffer.from(mark + JSON.stringify(hello), 'utf16le'));
    expect([status, body.error.code]).toEqual([400, 'invalid_json']);
    expect(body.error.message).toBe('The request body is in UTF-16. Send JSON in UTF-8.');
  });

  it('of another media type: 415 that names the right one', async () => {
    const { status, body } = await chat('<chat/>', { authorization: `Bearer ${apiKey}`, 'content-type': 'text/xml' });
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
    expect(body.error.message).toContain('application/json');
  });

  it('each refused request is recorded', async () => {
    const before = proxy.recorder.turns.length;
    await chat('{');
    await chat(hello, {});
    const rows = proxy.recorder.turns.slice(before);
    expect(
      rows.map(({ status, errorCode, errorOrigin, outcome }) => [status, errorCode, errorOrigin, outcome]),
    ).toEqual([
      [400, 'invalid_json', 'client', null],
      [401, 'invalid_api_key', 'client', null],
    ]);
  });
});

describe('upstreams', () => {
  it('L-3 down: 502 that names the upstream and what to check', async () => {
    const { status, body } = await chat({ ...hello, model: 'down' });
    expect([status, body.error.code, body.error.origin]).toEqual([502, 'upstream_unreachable', 'upstream']);
    expect(body.error.message).toMatch(/gpu0 \(http:\/\/127.0.0.1:9\/v1\) is unreachable: connection refused.*Check/);
    expect(proxy.recorder.turns.at(-1)).toMatchObject({
      status: 502,
      errorCode: 'upstream_unreachable',
      upstreamId: 'up_9',
    });
  });

  it('L-3 silent: 504', async () => {
    const { status, body } = await chat({ ...hello, model: 'silent' });
    expect([status, body.error.code]).toEqual([504, 'upstream_timeout']);
    expect(proxy.recorder.turns.at(-1)).toMatchObject({ status: 504, errorCode: 'upstream_timeout', attempts: 1 });
  });
});

it('security 1 2 3: every route of the table accepts only its own kind of key', async () => {
  const opens: Record<string, (headers: Record<string, string>) => boolean> = {
    anyone: () => true,
    inference: (headers) => 'authorization' in headers,
    listing: (headers) => 'authorization' in headers,
    counting: (headers) => 'authorization' in headers,
    'admin-key': (headers) => 'x-admin-key' in headers,
    metrics: (headers) => 'x-admin-key' in headers,
  };
  const callers: Record<string, string>[] = [{}, { authorization: `Bearer ${apiKey}` }, { 'x-admin-key': adminKey }];
  const walked = new Set<string>();
  for (const { method, path, action, access } of proxy.routes)
    for (const one of [method].flat())
      for (const headers of callers) {
        const url = path.replace('*', 'x').replace(':id', 'x') + (action === undefined ? '' : `:${action}`);
        const { statusCode } = await proxy.fastify.inject({
          method: one as 'GET',
          url,
          headers,
          ...(one !== 'GET' && { payload: {} }),
        });
        walked.add(`${access}`);
        expect([one, path, headers, statusCode === 401]).toEqual([one, path, headers, !opens[access]?.(headers)]);
      }
  expect([...walked].sort()).toEqual(Object.keys(opens).sort());
});

describe('errors have the form of their route’s API', () => {
  const wrongKey = { authorization: 'Bearer sk-unknown-000000003f2a' };
  const large = { ...hello, input: 'x'.repeat(2 * 1024 * 1024) };
  it.each([
    ['no key', 'POST', '/v1/responses', {}, wrongKey, 401],
    ['no such model', 'POST', '/v1/responses', { model: 'none', input: 'Hi' }, {}, 404],
    ['no such route', 'POST', '/v1/responses/a/b', {}, {}, 404],
    ['no such stored answer', 'GET', '/v1/responses/resp_none', undefined, {}, 404],
    ['another method', 'DELETE', '/v1/responses', {}, {}, 405],
    ['too large', 'POST', '/v1/responses', large, {}, 413],
    ['no JSON', 'POST', '/proxy/responses', '{', {}, 400],
    ['an upstream that is down', 'POST', '/v1/responses', { model: 'down', input: 'Hi' }, {}, 502],
  ] as const)('%s', async (_, method, path, body, headers, status) => {
    const form = vi
      .spyOn(inboundAdapters.responses, 'errorResponse')
      .mockImplementation((fault, id) => ({ ...openaiError(fault), body: { form: 'its own', code: fault.code, id } }));
    try {
      const reply = await fetch(proxy.url + path, {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}`, ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const id = reply.headers.get('x-request-id');
      expect([reply.status, await reply.json()]).toEqual([status, { form: 'its own', code: expect.any(String), id }]);
    } finally {
      form.mockRestore();
    }
  });
});

describe('operators’ routes', () => {
  it('D-22 /metrics accepts the admin key and the metrics token, in either header', async () => {
    const get = async (headers: Record<string, string>) => (await fetch(`${proxy.url}/metrics`, { headers })).status;
    expect(await get({})).toBe(401);
    expect(await get({ authorization: `Bearer ${apiKey}` })).toBe(401);
    expect(await get({ 'x-admin-key': adminKey })).toBe(200);
    expect(await get({ authorization: `Bearer ${adminKey}` })).toBe(200);
    expect(await get({ authorization: 'Bearer metrics-token-of-tests' })).toBe(200);
  });

  it('M-7 /proxy/debug/tool-calls accepts only X-Admin-Key', async () => {
    const get = (headers: Record<string, string>, query = '') =>
      fetch(`${proxy.url}/proxy/debug/tool-calls${query}`, { headers });
    expect((await get({ authorization: `Bearer ${apiKey}` })).status).toBe(401);
    const reply = await get({ 'x-admin-key': adminKey });
    expect(await reply.json()).toMatchObject({ items: expect.any(Array) });
    expect((await get({ 'x-admin-key': adminKey }, '?limit=none')).status).toBe(400);
  });
});

it('an upstream that failed five requests in a row is taken out of rotation, and the error says which and for how long', async () => {
  const own = await startProxy([{ name: 'down', baseUrls: ['http://127.0.0.1:9/v1'] }]);
  const askDown = async () => {
    const reply = await postJson(own, '/v1/chat/completions', { ...hello, model: 'down' });
    return { status: reply.status, wait: reply.headers.get('retry-after'), body: (await reply.json()) as ErrorBody };
  };
  for (let n = 0; n < 5; n++) expect((await askDown()).status).toBe(502);
  const { status, wait, body } = await askDown();
  expect([status, body.error.code]).toEqual([503, 'no_upstream']);
  expect(body.error.message).toContain('http://127.0.0.1:9/v1');
  expect(Number(wait)).toBeGreaterThan(0);
  await own.close();
});
