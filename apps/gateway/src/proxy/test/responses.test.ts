import { type Simulator, startSimulator } from '@callsmith/simulator';
import OpenAI from 'openai';
import type { FunctionTool, ResponseInput } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKey, postJson, startProxy, type TestModel, type TestProxy } from './test-proxy.ts';
import { json, startUpstream } from './test-upstream.ts';

let simulator: Simulator;
let proxy: TestProxy;
let openai: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  const baseUrls = [`${simulator.url}/v1`];
  proxy = await startProxy([
    { name: 'native', upstreamModel: 'sim-native', strategy: 'native', baseUrls },
    { name: 'prompt', upstreamModel: 'sim-refuses-tools', strategy: 'prompt', dialect: 'hermes', baseUrls },
    { name: 'leaky', upstreamModel: 'sim-leaky', strategy: 'native', dialect: 'hermes', baseUrls },
  ]);
  proxy.snapshot.addKey('sk-another-0123456789', { id: 'key_another' });
  openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

const tools: FunctionTool[] = [
  {
    type: 'function',
    name: 'read_file',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    strict: false,
  },
];
const input = 'Read the file hello.txt and say what it says.';

it.each([false, true])(
  'ignored parameters are listed in a header, whatever they are called (streaming: %s)',
  async (stream) => {
    const odd = [
      ...Array.from({ length: 300 }, () => ({ type: 'web_search_call' })),
      { type: 'a\r\nset-cookie: b=1' },
      { type: '検索' },
    ];
    const reply = await postJson(proxy, '/v1/responses', {
      model: 'native',
      stream,
      input: [...odd.reverse(), { role: 'user', content: 'Hi' }],
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('set-cookie')).toBeNull();
    const droppedHeader = reply.headers.get('x-callsmith-dropped-parameters') ?? '';
    expect(droppedHeader).toMatch(/^input\[0\] \(\?\?\), input\[1\] \(a\?\?set-cookie: b=1\), input\[2\]/);
    expect(droppedHeader.length).toBeLessThan(2100);
    await reply.text();
  },
);

it('references are looked up only in a request that is not too long', async () => {
  let looked = 0;
  const counting = await startProxy(
    [{ name: 'native', upstreamModel: 'sim-native', baseUrls: [`${simulator.url}/v1`] }],
    {
      storedResponses: {
        save: async () => {},
        find: async () => {
          looked++;
          return undefined;
        },
        remove: async () => false,
      },
    },
  );
  const references = Array.from({ length: 10_001 }, (_, at) => ({ type: 'item_reference', id: `msg_${at}_0` }));
  const reply = await postJson(counting, '/v1/responses', { model: 'native', input: references });
  expect([reply.status, looked]).toEqual([400, 0]);
  await counting.close();
});

describe.each(['native', 'prompt', 'leaky'])('H-4 %s', (model) => {
  it('answers whole with a call, and continues from its result', async () => {
    const first = await openai.responses.create({ model, tools, input });
    const call = first.output.find((item) => item.type === 'function_call');
    expect(call).toMatchObject({ name: 'read_file', status: 'completed' });
    const history: ResponseInput = [
      { role: 'user', content: input },
      ...(first.output as ResponseInput),
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'Hello from a file' },
    ];
    const second = await openai.responses.create({ model, tools, input: history });
    expect(second.status).toBe('completed');
    expect(second.output_text).toContain('Hello from a file');
    expect(second.usage?.total_tokens).toBeGreaterThan(0);
  });

  it('references to items stand for the stored items, for the same key only', async () => {
    const first = await openai.responses.create({ model, tools, input });
    const call = first.output.find((item) => item.type === 'function_call');
    const history: ResponseInput = [
      { role: 'user', content: input },
      ...first.output.map((item): ResponseInput[number] => ({ type: 'item_reference', id: item.id ?? '' })),
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'Hello from a file' },
    ];
    const second = await openai.responses.create({ model, tools, input: history });
    expect(second.output_text).toContain('Hello from a file');
    const other = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'sk-another-0123456789', maxRetries: 0 });
    await expect(other.responses.create({ model, tools, input: history })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      param: 'input[1].id',
    });
  });

  it('previous_response_id continues from the stored response', async () => {
    const first = await openai.responses.create({ model, tools, input });
    const call = first.output.find((item) => item.type === 'function_call');
    const second = await openai.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'Kept and found' }],
    });
    expect(second.output_text).toContain('Kept and found');
    expect(second.previous_response_id).toBe(first.id);
  });

  it('streams every event in order, and ends whole', async () => {
    const stream = openai.responses.stream({ model, tools, input });
    const numbers: number[] = [];
    const types = new Set<string>();
    for await (const event of stream) {
      numbers.push(event.sequence_number);
      types.add(event.type);
    }
    expect(numbers).toEqual(numbers.map((_, at) => at));
    for (const type of [
      'response.created',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ])
      expect(types).toContain(type);
    const final = await stream.finalResponse();
    expect(final.output.find((item) => item.type === 'function_call')).toMatchObject({ name: 'read_file' });
  });
});

it('a stored response is returned and deleted, for its own key only', async () => {
  const { id } = await openai.responses.create({ model: 'native', input: 'Hello' });
  expect((await openai.responses.retrieve(id)).id).toBe(id);
  const other = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'sk-another-0123456789', maxRetries: 0 });
  await expect(other.responses.retrieve(id)).rejects.toMatchObject({ status: 404, code: 'response_not_found' });
  await expect(
    other.responses.create({ model: 'native', input: 'Hello', previous_response_id: id }),
  ).rejects.toMatchObject({
    status: 404,
    code: 'response_not_found',
  });
  await openai.responses.delete(id);
  await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
});

it('store: false stores nothing', async () => {
  const { id } = await openai.responses.create({ model: 'native', input: 'Hello', store: false });
  await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404, code: 'response_not_found' });
});

it('M-1 /proxy/responses follows the same rules', async () => {
  const compatible = new OpenAI({ baseURL: `${proxy.url}/proxy`, apiKey, maxRetries: 0 });
  const { output } = await compatible.responses.create({ model: 'leaky', tools, input });
  expect(output.find((item) => item.type === 'function_call')).toMatchObject({ name: 'read_file' });
  const chat = await compatible.chat.completions.create({
    model: 'leaky',
    messages: [{ role: 'user', content: input }],
    tools: tools.map(({ name, parameters }) => ({
      type: 'function' as const,
      function: { name, parameters: parameters ?? {} },
    })),
  });
  expect(chat.choices[0]?.finish_reason).toBe('tool_calls');
});

it('an upstream error is a failed response in a stream, and an HTTP error before it', async () => {
  const bad = await startProxy([{ name: 'down', baseUrls: ['http://127.0.0.1:9/v1'] }]);
  const client = new OpenAI({ baseURL: `${bad.url}/v1`, apiKey, maxRetries: 0 });
  await expect(client.responses.create({ model: 'down', input: 'Hello' })).rejects.toMatchObject({
    status: 502,
    code: 'upstream_unreachable',
  });
  await bad.close();
});

describe('H-5 a server that supports /v1/responses itself', () => {
  const model = (kind: 'lmstudio', baseUrl: string): TestModel => ({
    name: 'studio',
    upstreamModel: 'sim-native',
    strategy: 'native',
    kind,
    baseUrls: [baseUrl],
  });
  const calledTools = async (of: TestProxy) => {
    const client = new OpenAI({ baseURL: `${of.url}/v1`, apiKey, maxRetries: 0 });
    const whole = await client.responses.create({ model: 'studio', tools, input });
    const streamed = await client.responses.stream({ model: 'studio', tools, input }).finalResponse();
    return [whole, streamed].map(
      ({ output }) => output.flatMap((item) => (item.type === 'function_call' ? [item.name] : []))[0],
    );
  };

  it('gets requests by it', async () => {
    const own = await startProxy([model('lmstudio', `${simulator.url}/v1`)]);
    expect(await calledTools(own)).toEqual(['read_file', 'read_file']);
    expect(own.recorder.turns.at(-1)?.body?.upstreamRequest).toContain('"input":');
    await own.close();
  });

  it('a missing model says nothing about the API', async () => {
    const other = await startUpstream();
    other.behave(json(404, { error: { message: 'Model "qwen" not found', code: 'model_not_found' } }));
    const own = await startProxy([model('lmstudio', other.baseUrl)]);
    const client = new OpenAI({ baseURL: `${own.url}/v1`, apiKey, maxRetries: 0 });
    for (let n = 0; n < 2; n++)
      await expect(client.responses.create({ model: 'studio', tools, input })).rejects.toMatchObject({ status: 502 });
    expect(other.received.map(({ url }) => url)).toEqual(['/v1/responses', '/v1/responses']);
    await own.close();
    await other.close();
  });

  it('gets chat completions if it is too old for it, from then on without trying', async () => {
    const old = await startUpstream();
    const missing = json(200, { error: 'Unexpected endpoint or method. (POST /v1/responses)' });
    const chat = json(200, {
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: 'by chat' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
    old.behave((response, received) => (received.url.endsWith('/responses') ? missing : chat)(response, received));
    const own = await startProxy([model('lmstudio', old.baseUrl)]);
    const client = new OpenAI({ baseURL: `${own.url}/v1`, apiKey, maxRetries: 0 });
    for (let n = 0; n < 2; n++)
      expect((await client.responses.create({ model: 'studio', tools, input })).output_text).toBe('by chat');
    expect(old.received.map(({ url }) => url)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ]);
    await own.close();
    await old.close();
  });
});
