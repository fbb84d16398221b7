import { type Simulator, startSimulator } from '@callsmith/simulator';
import { isObject, type JsonObject } from '@callsmith/turn';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKey, postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { json, startUpstream, type TestUpstream } from './test-upstream.ts';

/** Requests of the simulator before the one that is looked at. */
let seen = 0;
let simulator: Simulator;
let upstream: TestUpstream;
let proxy: TestProxy;

beforeAll(async () => {
  [simulator, upstream] = await Promise.all([startSimulator(), startUpstream()]);
  const served = { baseUrls: [`${simulator.url}/v1`], kind: 'ollama' } as const;
  proxy = await startProxy([
    { ...served, name: 'native', strategy: 'native', upstreamModel: 'sim-native' },
    { ...served, name: 'prompt', strategy: 'prompt', upstreamModel: 'sim-native' },
    { ...served, name: 'strict', strategy: 'strict', upstreamModel: 'sim-native@constraint=heed' },
    { ...served, name: 'thinks', strategy: 'native', upstreamModel: 'sim-reasoning' },
    { ...served, name: 'cut', upstreamModel: 'sim-native@faults=end-stream:100' },
    { ...served, name: 'by-chat', upstreamModel: 'sim-native', upstream: { api: 'chat' } },
    { ...served, name: 'behind', baseUrls: [upstream.baseUrl] },
  ]);
});
afterAll(async () => {
  await proxy.close();
  await Promise.all([simulator.close(), upstream.close()]);
});

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const task = 'Read the file notes.txt';
const bodies: Record<string, (model: string, stream: boolean) => object> = {
  '/v1/chat/completions': (model, stream) => ({
    model,
    stream,
    messages: [{ role: 'user', content: task }],
    tools: [{ type: 'function', function: { name: 'read_file', description: 'Reads a file.', parameters } }],
  }),
  '/v1/responses': (model, stream) => ({
    model,
    stream,
    input: task,
    tools: [{ type: 'function', name: 'read_file', description: 'Reads a file.', parameters }],
  }),
  '/v1/messages': (model, stream) => ({
    model,
    stream,
    max_tokens: 500,
    messages: [{ role: 'user', content: task }],
    tools: [{ name: 'read_file', description: 'Reads a file.', input_schema: parameters }],
  }),
};

async function ask(path: string, body: object): Promise<[status: number, text: string]> {
  seen = simulator.requests.length;
  const reply = await fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });
  return [reply.status, await reply.text()];
}

const upstreamRequests = (): [path: string, body: JsonObject][] =>
  simulator.requests.slice(seen).map(({ path, body }) => [path, isObject(body) ? body : {}]);

const cells = Object.keys(bodies).flatMap((path) =>
  ['native', 'prompt', 'strict'].flatMap((model) => [true, false].map((stream) => [path, model, stream] as const)),
);

it.each(cells)('A-12 %s of a model by %s, streamed %s, is sent by Ollama’s own API', async (path, model, stream) => {
  const [status, text] = await ask(path, bodies[path]?.(model, stream) ?? {});
  expect(status).toBe(200);
  expect(text).toContain('read_file');
  expect(text.replaceAll('\\', '')).toMatch(/"path":\s*"notes\.txt"/);
  const [[at, body] = []] = upstreamRequests();
  expect(at).toBe('/api/chat');
  expect(body?.stream).toBe(stream);
  expect(body?.tools !== undefined).toBe(model !== 'prompt');
});

it('H-8 a call that must come in text is constrained by `format`', async () => {
  const [route] = proxy.snapshot.model('strict')?.routes ?? [];
  proxy.snapshot.change('strict', { routes: route ? [{ ...route, nativeTools: false }] : [] });
  const [status, text] = await ask('/v1/chat/completions', {
    ...bodies['/v1/chat/completions']?.('strict', false),
    tool_choice: 'required',
  });
  expect([status, text]).toEqual([200, expect.stringContaining('"name":"read_file"')]);
  const [[path, body] = []] = upstreamRequests();
  expect(path).toBe('/api/chat');
  expect(body?.format).toMatchObject({ properties: { name: { const: 'read_file' }, arguments: parameters } });
  expect(body).not.toHaveProperty('response_format');
});

it('results go back by name and id, and reasoning as thinking', async () => {
  const first = await postJson(proxy, '/v1/chat/completions', bodies['/v1/chat/completions']?.('thinks', false) ?? {});
  const { choices, usage } = (await first.json()) as {
    choices: [{ message: { reasoning_content: string; tool_calls: [{ id: string }] } }];
    usage: { prompt_tokens: number };
  };
  const { message } = choices[0];
  expect(message.reasoning_content).not.toBe('');
  expect(usage.prompt_tokens).toBeGreaterThan(0);
  const { id } = message.tool_calls[0];
  const [status] = await ask('/v1/chat/completions', {
    ...bodies['/v1/chat/completions']?.('thinks', true),
    messages: [
      { role: 'user', content: task },
      message,
      { role: 'tool', tool_call_id: id, content: 'Water the plants.' },
    ],
  });
  expect(status).toBe(200);
  const [[, body] = []] = upstreamRequests();
  expect(body?.messages).toEqual([
    { role: 'user', content: task },
    {
      role: 'assistant',
      content: expect.any(String),
      thinking: message.reasoning_content,
      tool_calls: [{ id, function: { index: 0, name: 'read_file', arguments: { path: 'notes.txt' } } }],
    },
    { role: 'tool', content: 'Water the plants.', tool_call_id: id, tool_name: 'read_file' },
  ]);
});

it('a stream that breaks off is an error of the stream', async () => {
  const [status, text] = await ask('/v1/chat/completions', bodies['/v1/chat/completions']?.('cut', true) ?? {});
  expect(status === 502 || text.includes('upstream_cut_off')).toBe(true);
});

it('an upstream that is set to chat uses chat', async () => {
  const [status] = await ask('/v1/chat/completions', bodies['/v1/chat/completions']?.('by-chat', true) ?? {});
  expect([status, upstreamRequests().map(([path]) => path)]).toEqual([200, ['/v1/chat/completions']]);
});

it('a declared context length is sent with every request, whatever the client asks', async () => {
  proxy.snapshot.change('native', { contextLength: { value: 16_384, source: 'declared' } });
  await ask('/v1/chat/completions', { ...bodies['/v1/chat/completions']?.('native', true), num_ctx: 4096 });
  proxy.snapshot.change('native', { contextLength: { value: 16_384, source: 'discovered' } });
  const declared = upstreamRequests().map(([, body]) => body.options);
  await ask('/v1/chat/completions', bodies['/v1/chat/completions']?.('native', true) ?? {});
  expect([declared, upstreamRequests().map(([, body]) => body.options)]).toEqual([[{ num_ctx: 16_384 }], [undefined]]);
});

it('an image URL is refused by name, since the server loads none', async () => {
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  const [status, text] = await ask('/v1/chat/completions', {
    model: 'native',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }],
  });
  expect([status, upstreamRequests()]).toEqual([400, []]);
  expect(text).toContain('messages[0]');
  expect(text).toContain('base64 data: URL');
});

it('A-12 if only the chat API is served, as behind a proxy, that is detected and remembered', async () => {
  upstream.behave((response, received) => {
    if (received.url === '/api/chat') return json(404, { detail: 'Not Found' })(response, received);
    const message = { role: 'assistant', content: 'fine' };
    return json(200, { id: 'a', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] })(
      response,
      received,
    );
  });
  const body = { model: 'behind', messages: [{ role: 'user', content: 'hi' }] };
  for (const paths of [['/api/chat', '/v1/chat/completions'], ['/v1/chat/completions']]) {
    upstream.received.length = 0;
    expect((await ask('/v1/chat/completions', body))[0]).toBe(200);
    expect(upstream.received.map(({ url }) => url)).toEqual(paths);
  }
});
