import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Span, startCollector, type TestCollector } from '../test/test-collector.ts';
import { apiKey, MemoryResponses, startProxy, type TestProxy } from '../test/test-proxy.ts';
import { TestTools } from '../test/test-tools.ts';
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
} from '../test/test-upstream.ts';
import type { Tracing, TracingOptions } from './traces.ts';

const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('sdk-trace'));

let upstream: TestUpstream;
let other: TestUpstream;
let collector: TestCollector;
let tracing: Tracing;
let proxy: TestProxy;
let loadedBefore: string[];
const canary = 'canary-7h1s-1s-n0t-t0-b3-t0ld';
const secret = 'sk-0123456789abcdef0123456789';

beforeAll(async () => {
  loadedBefore = loaded();
  upstream = await startUpstream();
  other = await startUpstream();
  collector = await startCollector();
  await start();
});

afterAll(async () => {
  await proxy.close();
  await tracing.stop();
  await upstream.close();
  await other.close();
  await collector.close();
});

afterEach(() => vi.unstubAllEnvs());

/** Begins anew with traces of these options, of the environment as it is now. */
async function start(options: Partial<TracingOptions> = {}): Promise<void> {
  await proxy?.close();
  await tracing?.stop();
  collector.exports.length = 0;
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20');
  const { startTracing } = await import('./traces.ts');
  const url = `${collector.url}/v1/traces`;
  tracing = startTracing({ url, productVersion: '1.2.3', reportProblem: () => {}, ...options });
  const baseUrls = [upstream.baseUrl];
  proxy = await startProxy(
    [
      { name: 'team/glm', upstreamModel: 'glm-4', baseUrls },
      { name: 'two', baseUrls: [upstream.baseUrl, other.baseUrl] },
      { name: 'thinker', upstreamModel: 'big', dialect: 'hermes', baseUrls },
      { name: 'caller', upstreamModel: 'small', strategy: 'native', baseUrls },
    ],
    { observerFactories: [tracing.observerFactory], tools: new TestTools(), storedRounds: new MemoryResponses() },
  );
  proxy.snapshot.change('thinker', { delegate: { value: 'caller', source: 'declared' } });
}

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [{ type: 'function', function: { name: 'read', description: canary, parameters } }];

const send = (body: object, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
  fetch(`${proxy.url}/v1/chat/completions?${canary}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-trace': canary, ...headers },
    body: JSON.stringify({ model: 'team/glm', messages: [{ role: 'user', content: canary }], tools, ...body }),
    ...(signal && { signal }),
  });

const ask = (body: object = {}, headers: Record<string, string> = {}): Promise<string> =>
  send(body, headers).then((reply) => reply.text());

const usage = (more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, ...more } })}\n\n`;
const good = stream(call(0, 'read', `{"path":"${canary}"}`), stop, usage(), done);
const whole = (message: object): ReturnType<typeof json> =>
  json(200, {
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 5 },
  });
const calling = (name: string, args: object): ReturnType<typeof json> =>
  whole({
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  });

/** The request's span, and its children in their order. */
async function family(count: number): Promise<{ parent: Span; children: Span[] }> {
  const spans = await collector.spans(count);
  expect(spans).toHaveLength(count);
  const parent = spans.find(({ name }) => /^chat|^text|^embed|^generate/.test(name)) as Span;
  const children = spans.filter((span) => span !== parent);
  for (const child of children) expect([child.traceId, child.parentSpanId]).toEqual([parent.traceId, parent.spanId]);
  const begun = ({ startTimeUnixNano }: Span) => Number(startTimeUnixNano);
  return { parent, children: children.sort((a, b) => begun(a) - begun(b)) };
}

it('is not loaded unless it is enabled', () => {
  expect(loadedBefore).toEqual([]);
  expect(loaded()).not.toEqual([]);
});

it('records one span per request, by the conventions for generative AI, without message content', async () => {
  const details = {
    prompt_tokens_details: { cached_tokens: 7, cache_write_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  upstream.behave(stream(call(0, 'read', `{"path":"${canary}"}`), stop, usage(details), done));
  const before = Date.now();
  const requestBody = {
    stream: true,
    max_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 20,
    seed: 7,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    stop: ['END'],
    reasoning_effort: 'low',
  };
  const responseText = await ask(requestBody);
  expect(responseText).toContain(canary);
  const { parent, children } = await family(2);
  expect(parent).toMatchObject({ name: 'chat team/glm', kind: 3, status: { code: 0 } });
  expect(parent.parentSpanId || undefined).toBeUndefined();
  expect(Number(parent.startTimeUnixNano) / 1e6).toBeGreaterThan(before - 1000);
  expect(Number(parent.endTimeUnixNano)).toBeGreaterThan(Number(parent.startTimeUnixNano));
  const id = /"id":"(chatcmpl-[^"]+)"/.exec(responseText)?.[1];
  const address = { 'server.address': '127.0.0.1', 'server.port': Number(new URL(upstream.baseUrl).port) };
  expect(parent.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'vllm',
    'gen_ai.conversation.id': expect.stringMatching(/^[0-9a-f]{32}$/),
    'gen_ai.output.type': 'text',
    'gen_ai.request.model': 'team/glm',
    'gen_ai.request.stream': true,
    'gen_ai.request.max_tokens': 100,
    'gen_ai.request.temperature': 0.5,
    'gen_ai.request.top_p': 0.9,
    'gen_ai.request.top_k': 20,
    'gen_ai.request.seed': 7,
    'gen_ai.request.frequency_penalty': 0.1,
    'gen_ai.request.presence_penalty': 0.2,
    'gen_ai.request.stop_sequences': ['END'],
    'gen_ai.request.reasoning.level': 'low',
    'gen_ai.response.id': id,
    'gen_ai.response.model': 'glm-4',
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.cache_read.input_tokens': 7,
    'gen_ai.usage.cache_write.input_tokens': 3,
    'gen_ai.usage.reasoning.output_tokens': 2,
    'http.response.status_code': 200,
    'session.id': parent.attributes['gen_ai.conversation.id'],
    'user.id': 'tests',
    'callsmith.strategy': 'auto',
    'callsmith.strategy_used': 'native',
    'callsmith.outcome': 'clean',
    'callsmith.tools_offered': 1,
    'callsmith.calls': 1,
    'callsmith.attempts': 1,
    'callsmith.turn': expect.stringMatching(/^turn_[0-9a-f]{32}$/),
    ...address,
  });
  expect(parent.attributes).not.toHaveProperty(['gen_ai.request.choice.count']);
  expect(children).toMatchObject([
    {
      name: 'attempt gpu0',
      attributes: { ...address, 'callsmith.attempt': 1, 'http.response.status_code': 200 },
    },
  ]);
  expect(parent.resource).toMatchObject({ 'service.name': 'callsmith', 'service.version': '1.2.3' });
  expect(JSON.stringify([parent, children])).not.toContain(canary);
  expect(JSON.stringify([parent, children])).not.toContain(apiKey);
});

it('a request by Google’s API is named as in the conventions', async () => {
  upstream.behave(whole({ content: 'Hi' }));
  const reply = await fetch(`${proxy.url}/v1beta/models/team/glm:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
  });
  expect(reply.status).toBe(200);
  const { parent } = await family(2);
  expect(parent.name).toBe('generate_content team/glm');
  expect(parent.attributes['gen_ai.operation.name']).toBe('generate_content');
});

describe('the client’s trace', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it('is the parent of the request, and the model server gets the attempt as its own parent', async () => {
    upstream.behave(good);
    await ask({ stream: true }, { traceparent, tracestate: 'vendor=1' });
    const { parent, children } = await family(2);
    expect([parent.traceId, parent.parentSpanId]).toEqual(['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']);
    const sent = upstream.received[0]?.headers;
    expect(sent?.traceparent).toBe(`00-${parent.traceId}-${children[0]?.spanId}-01`);
    expect(sent?.tracestate).toBe('vendor=1');
  });

  it('that is not sampled by the client is not sampled here', async () => {
    upstream.behave(good, good);
    await ask({ stream: true }, { traceparent: traceparent.replace(/01$/, '00') });
    expect(upstream.received[0]?.headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
    await ask({ stream: true });
    const { parent } = await family(2);
    expect(parent.traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
  });

  it.each(['00-zz-b7ad6b7169203331-01', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, 'x'.repeat(200), ''])(
    'is ignored if it cannot be parsed: %s',
    async (wrong) => {
      upstream.behave(good);
      await ask({ stream: true }, { traceparent: wrong });
      const { parent, children } = await family(2);
      expect(parent.parentSpanId || undefined).toBeUndefined();
      expect(upstream.received[0]?.headers.traceparent).toBe(`00-${parent.traceId}-${children[0]?.spanId}-01`);
    },
  );
});

describe('each upstream request is a child span', () => {
  it('attempts on two upstreams, of which the first fails', async () => {
    upstream.behave(json(500, { error: { message: canary } }));
    other.behave(good);
    await ask({ model: 'two', stream: true });
    const { parent, children } = await family(3);
    expect(parent.status).toEqual({ code: 0 });
    expect(parent.attributes).toMatchObject({ 'callsmith.attempts': 2, 'callsmith.upstream': 'gpu1' });
    expect(children).toMatchObject([
      {
        name: 'attempt gpu0',
        status: { code: 2 },
        attributes: { 'callsmith.attempt': 1, 'http.response.status_code': 500, 'error.type': 'upstream_error' },
      },
      { name: 'attempt gpu1', status: { code: 0 }, attributes: { 'callsmith.attempt': 2 } },
    ]);
    expect(other.received[0]?.headers.traceparent).toContain(children[1]?.spanId);
    expect(JSON.stringify([parent, children])).not.toContain(canary);
  });

  it('a correction, with the tokens of both attempts on the request', async () => {
    upstream.behave(calling('read', {}), calling('read', { path: 'a' }));
    await ask({ model: 'caller' });
    const { parent, children } = await family(3);
    expect(children.map(({ name }) => name)).toEqual(['attempt gpu0', 'correction gpu0']);
    expect(children[0]?.attributes).toMatchObject({ 'callsmith.unusable': true });
    expect(parent.attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 24, 'gen_ai.usage.output_tokens': 10 });
  });

  it('H-9 the request to the second model of a delegation', async () => {
    upstream.behave(whole({ content: 'I read it.\nCALL read: path a.txt' }), calling('read', { path: 'a.txt' }));
    await ask({ model: 'thinker' });
    const { parent, children } = await family(3);
    expect(children).toMatchObject([
      { name: 'attempt gpu0', attributes: { 'callsmith.upstream_model': 'big' } },
      { name: 'delegation gpu0', attributes: { 'callsmith.upstream_model': 'small' } },
    ]);
    expect(upstream.received[1]?.headers.traceparent).toContain(`${parent.traceId}-${children[1]?.spanId}`);
  });

  it('a tool of an MCP server that ran here, with its name and without its arguments', async () => {
    upstream.behave(calling('files__read', { path: canary }), whole({ content: 'Done.' }));
    await ask({ model: 'caller', tools: undefined }, { 'x-callsmith-agent': 'on' });
    const { children } = await family(4);
    expect(children.map(({ name }) => name)).toEqual(['attempt gpu0', 'execute_tool read', 'attempt gpu0']);
    expect(children[1]).toMatchObject({
      kind: 1,
      status: { code: 2 },
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'read', 'error.type': 'tool_error' },
    });
    expect(JSON.stringify(children)).not.toContain(canary);
  });

  it('of an API that is passed through too', async () => {
    upstream.behave(json(200, { choices: [{ text: 'a' }], usage: { prompt_tokens: 3, completion_tokens: 1 } }));
    await fetch(`${proxy.url}/v1/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'team/glm', prompt: canary, max_tokens: 4, stop: 'x' }),
    }).then((reply) => reply.text());
    const { parent, children } = await family(2);
    expect(parent).toMatchObject({
      name: 'text_completion team/glm',
      attributes: {
        'gen_ai.request.max_tokens': 4,
        'gen_ai.request.stop_sequences': ['x'],
        'gen_ai.usage.input_tokens': 3,
      },
    });
    expect(upstream.received[0]?.headers.traceparent).toContain(children[0]?.spanId);
    expect(JSON.stringify([parent, children])).not.toContain(canary);
  });
});

describe('failures', () => {
  it('a request that fails is an error by its code, without the server’s message', async () => {
    upstream.behave(json(400, { error: { message: canary } }));
    await ask();
    const { parent, children } = await family(2);
    expect(parent.status).toEqual({ code: 2 });
    expect(parent.attributes['error.type']).toMatch(/^[a-z_]+$/);
    expect(children[0]?.attributes).toMatchObject({ 'error.type': parent.attributes['error.type'] });
    expect(JSON.stringify([parent, children])).not.toContain(canary);
  });

  it('a truncated stream is an error, with what came before', async () => {
    upstream.behave((response) => {
      open(response);
      response.write(role + text('half an answer'), () => response.destroy());
    });
    await ask({ stream: true, tools: undefined }).catch(() => '');
    const { parent, children } = await family(2);
    expect([parent.status.code, children.at(-1)?.status.code]).toEqual([2, 2]);
    expect(parent.attributes).toMatchObject({ 'gen_ai.response.time_to_first_chunk': expect.any(Number) });
    expect(parent.attributes['error.type']).toBe(children[0]?.attributes['error.type']);
  });

  it('a client that disconnects', async () => {
    const source = new AbortController();
    upstream.behave((response) => {
      open(response);
      response.write(role + text('half'), () => source.abort());
    });
    await send({ stream: true }, {}, source.signal)
      .then((reply) => reply.text())
      .catch(() => '');
    const { parent, children } = await family(2);
    expect(parent.attributes['error.type']).toBe('client_disconnected');
    expect(children[0]?.attributes['error.type']).toBe('client_disconnected');
  });

  it('an unknown model name is not exported', async () => {
    await ask({ model: canary });
    const { parent } = await family(1);
    expect(parent.name).toBe('chat');
    expect(parent.attributes).toMatchObject({ 'error.type': 'model_not_found' });
    expect(JSON.stringify(parent)).not.toContain(canary);
  });
});

describe('the environment', () => {
  it('names the service, adds headers, and turns sampling off', async () => {
    vi.stubEnv('OTEL_SERVICE_NAME', 'tools');
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test');
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-project-name=p1');
    await start();
    upstream.behave(good);
    await ask({ stream: true });
    await vi.waitFor(() => expect(collector.exports).not.toEqual([]));
    expect(collector.exports[0]?.headers).toMatchObject({ 'x-project-name': 'p1', 'content-type': 'application/json' });
    const { parent } = await family(2);
    expect(parent.resource).toMatchObject({ 'service.name': 'tools', 'deployment.environment.name': 'test' });
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'always_off');
    await start();
    await ask({ stream: true });
    expect(upstream.received.at(-1)?.headers.traceparent).toMatch(/-00$/);
    await tracing.stop();
    expect(collector.exports).toEqual([]);
  });

  it('starts no trace if it says so', async () => {
    vi.stubEnv('OTEL_PROPAGATORS', 'none');
    await start();
    upstream.behave(good);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await ask({ stream: true }, { traceparent });
    const { parent } = await family(2);
    expect(parent.traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
    expect(upstream.received[0]?.headers.traceparent).toBe(traceparent);
  });

  it('sends Protocol Buffers if configured', async () => {
    await start({ protocol: 'http/protobuf' });
    upstream.behave(good);
    await ask({ stream: true });
    await vi.waitFor(() => expect(collector.exports).not.toEqual([]));
    const [{ headers, body }] = collector.exports as [(typeof collector.exports)[0]];
    expect(headers['content-type']).toBe('application/x-protobuf');
    expect(body[0]).toBe(0x0a);
    expect(body.toString('latin1')).toContain('chat team/glm');
  });
});

describe('message content, if enabled', () => {
  const conversation = {
    model: 'caller',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: `My key is ${secret}.` },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c0', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'c0', content: `OPENAI_API_KEY=${secret}` },
    ],
  };
  const answer = calling('read', { path: secret });

  it('is in the span in the form of the conventions, secrets masked', async () => {
    await start({ content: true });
    upstream.behave(answer);
    await ask(conversation);
    const { parent } = await family(2);
    const parts = (name: string) => JSON.parse(String(parent.attributes[name]));
    const masked = '•'.repeat(secret.length);
    expect(parts('gen_ai.system_instructions')).toEqual([{ type: 'text', content: 'Be brief.' }]);
    expect(parts('gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: `My key is ${masked}.` }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c0', name: 'read', arguments: '{"path":"x"}' }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c0', response: `OPENAI_API_KEY=${masked}` }] },
    ]);
    expect(parts('gen_ai.output.messages')).toMatchObject([
      { role: 'assistant', parts: [{ type: 'tool_call', name: 'read', arguments: `{"path":"${masked}"}` }] },
    ]);
    expect(parts('gen_ai.tool.definitions')).toEqual([
      { type: 'function', name: 'read', description: canary, parameters },
    ]);
    expect(parent.attributes).not.toHaveProperty(['llm.model_name']);
  });

  it('is also there by OpenInference, for passed-through frames too', async () => {
    await start({ content: true, openInference: true });
    upstream.behave(answer);
    await ask(conversation);
    const { parent, children } = await family(2);
    expect(parent.attributes).toMatchObject({
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'caller',
      'llm.provider': 'vllm',
      'llm.token_count.prompt': 12,
      'llm.token_count.completion': 5,
      'llm.token_count.total': 17,
      'llm.input_messages.0.message.role': 'system',
      'llm.input_messages.0.message.content': 'Be brief.',
      'llm.input_messages.2.message.tool_calls.0.tool_call.function.name': 'read',
      'llm.input_messages.3.message.tool_call_id': 'c0',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': `{"path":"${'•'.repeat(secret.length)}"}`,
      'llm.tools.0.tool.json_schema': expect.stringContaining('"read"'),
      'input.value': `My key is ${'•'.repeat(secret.length)}.`,
    });
    expect(children[0]?.attributes).toMatchObject({ 'openinference.span.kind': 'CHAIN' });
    expect(JSON.stringify(parent)).not.toContain(secret);
    upstream.behave(stream(role, text('Good "day" '), text(`and ${secret}\\`), chunk({}, 'stop'), usage(), done));
    await ask({ model: 'caller', stream: true, tools: undefined });
    const passed = await family(2);
    expect(passed.parent.attributes['output.value']).toBe(`Good "day" and ${'•'.repeat(secret.length)}\\`);
  });

  it('is not exported for teams whose bodies are not stored, nor unless enabled', async () => {
    await start({ content: true, openInference: true });
    proxy.snapshot.addKey('sk-quiet-0123456789abcdef', { storesBodies: false });
    upstream.behave(answer);
    await ask(conversation, { authorization: 'Bearer sk-quiet-0123456789abcdef' });
    const quiet = await family(2);
    await start({ openInference: true });
    await ask(conversation);
    const silent = await family(2);
    for (const { parent } of [quiet, silent]) {
      expect(parent.attributes).toMatchObject({ 'openinference.span.kind': 'LLM' });
      expect(JSON.stringify(parent)).not.toMatch(/Be brief|My key|gen_ai\.input\.messages|input\.value/);
    }
  });

  it('is bounded: a long conversation is exported with its newest messages', async () => {
    await start({ content: true, openInference: true });
    upstream.behave(answer);
    const long = Array.from({ length: 40 }, (_, at) => ({ role: 'user', content: `${at} ${'x'.repeat(20_000)}` }));
    await ask({ ...conversation, messages: long });
    const { parent } = await family(2);
    const inputMessages = String(parent.attributes['gen_ai.input.messages']);
    expect(inputMessages.length).toBeLessThan(140_000);
    expect(inputMessages).toContain('39 xxx');
    expect(inputMessages).not.toContain('"0 xxx');
  });
});
