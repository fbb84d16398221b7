import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { json, type ReceivedRequest, startUpstream, type TestUpstream } from './test-upstream.ts';

let upstream: TestUpstream;
let proxy: TestProxy;
/** Answers of the tokenizer's routes; absent: 404. */
let tokenizer: Record<string, (received: ReceivedRequest) => object>;

beforeAll(async () => {
  upstream = await startUpstream();
  proxy = await startProxy(
    (['vllm', 'llamacpp', 'sglang', 'openai'] as const).map((kind) => ({
      name: kind,
      kind,
      baseUrls: [upstream.baseUrl],
      upstream: { id: `up_${kind}` },
    })),
  );
  for (const model of ['vllm', 'llamacpp', 'sglang', 'openai'])
    proxy.snapshot.change(model, { contextLength: { value: 1000, source: 'discovered' } });
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});
beforeEach(() => {
  tokenizer = {};
  upstream.behave((response: ServerResponse, received: ReceivedRequest) => {
    if (received.url === '/v1/chat/completions') return json(200, completion)(response, received);
    const reply = tokenizer[received.url];
    return json(reply ? 200 : 404, reply?.(received) ?? { error: 'not found' })(response, received);
  });
});

const completion = {
  id: 'a',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
};
const ask = async (model: string, content: unknown, more: object = {}) => {
  const reply = await postJson(proxy, '/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content }],
    ...more,
  });
  const dropped = reply.headers.get('x-callsmith-dropped-parameters');
  return { status: reply.status, dropped, body: (await reply.json()) as Record<string, Record<string, unknown>> };
};
const requestedPaths = () => upstream.received.map(({ url }) => url);
const long = 'word '.repeat(1000);
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];

describe('a prompt that cannot fit', () => {
  it.each([{}, { tools }, { stream: true }])(
    'vLLM: is refused before it is sent, by vLLM’s own count (%j)',
    async (more) => {
      tokenizer['/tokenize'] = () => ({ count: 1000, max_model_len: 1000, tokens: [] });
      const { status, body } = await ask('vllm', long, more);
      expect([status, body.error?.code, body.error?.type, body.error?.param]).toEqual([
        400,
        'context_length_exceeded',
        'invalid_request_error',
        'messages',
      ]);
      expect(body.error?.message).toContain('1000 tokens');
      expect(requestedPaths()).toEqual(['/tokenize']);
      expect(upstream.received[0]?.body).toMatchObject({ add_generation_prompt: true, messages: [{ content: long }] });
    },
  );

  it('llama.cpp: the rendered prompt of its template is counted', async () => {
    tokenizer['/apply-template'] = () => ({ prompt: 'the rendered prompt' });
    tokenizer['/tokenize'] = ({ body }) => ({
      tokens: Array(body.content === 'the rendered prompt' && body.parse_special === true ? 1200 : 1).fill(1),
    });
    const { status, body } = await ask('llamacpp', long, { tools });
    expect([status, body.error?.code]).toEqual([400, 'context_length_exceeded']);
    expect(body.error?.message).toContain('1200 tokens');
    expect(requestedPaths()).toEqual(['/apply-template', '/tokenize']);
    expect(upstream.received[0]?.body.tools).toHaveLength(1);
  });

  it('llama.cpp without /apply-template: only the text is counted', async () => {
    tokenizer['/tokenize'] = ({ body }) => ({ tokens: Array(String(body.content).split(' ').length).fill(1) });
    expect((await ask('llamacpp', long)).status).toBe(400);
  });

  it('the context length that the server reports applies, not the declared one', async () => {
    tokenizer['/tokenize'] = () => ({ count: 1200, max_model_len: 4096 });
    expect((await ask('vllm', long)).status).toBe(200);
  });
});

describe('E-4 the tool prompt is limited', () => {
  const described = Array.from({ length: 60 }, (_, at) => ({
    type: 'function',
    function: {
      name: `tool_${at}`,
      description: `Reads things. ${'And on. '.repeat(100)}`,
      parameters: { type: 'object', properties: { path: { type: 'string', description: 'Where. '.repeat(50) } } },
    },
  }));
  /** The server counts a token for each four characters. */
  const counts = (context: number): void => {
    tokenizer['/tokenize'] = ({ body }) => ({
      count: Math.ceil(JSON.stringify(body).length / 4),
      max_model_len: context,
    });
  };
  const prompted = async (strategy: 'prompt' | 'native'): Promise<Awaited<ReturnType<typeof ask>>> => {
    proxy.snapshot.change('vllm', { strategy: { value: strategy, source: 'declared' } });
    upstream.received.length = 0;
    return ask('vllm', 'Hi', { tools: described });
  };
  const sent = () => upstream.received.find(({ url }) => url === '/v1/chat/completions')?.body;
  const systemSent = (): string => (sent()?.messages as { content: string }[] | undefined)?.[0]?.content ?? '';
  const pathsUntilCompletion = () => requestedPaths().slice(0, requestedPaths().indexOf('/v1/chat/completions') + 1);

  it('a prompt that fits by the server’s count keeps its bytes', async () => {
    counts(1_000_000);
    expect((await prompted('prompt')).status).toBe(200);
    expect(systemSent()).toContain('And on. '.repeat(99));
    expect(pathsUntilCompletion()).toEqual(['/tokenize', '/v1/chat/completions']);
  });

  it('one that does not fit describes every tool briefly, and the client is informed', async () => {
    counts(10_000);
    const { status, dropped } = await prompted('prompt');
    expect([status, dropped]).toEqual([200, 'tools.description']);
    expect(systemSent()).not.toContain('And on. '.repeat(50));
    for (const { function: one } of described) expect(systemSent()).toContain(`"name":"${one.name}"`);
    expect(pathsUntilCompletion()).toEqual(['/tokenize', '/tokenize', '/v1/chat/completions']);
  });

  it('one that does not fit briefly either is refused; native tools are passed through unchanged', async () => {
    counts(1_500);
    const { status, body } = await prompted('prompt');
    expect([status, body.error?.code]).toEqual([400, 'context_length_exceeded']);
    expect(body.error?.message).toMatch(/about \d+ of them for the tools/);
    counts(1_000_000);
    await prompted('native');
    expect(sent()?.tools).toMatchObject(described);
  });
});

describe('is never refused by an estimate', () => {
  it.each(['sglang', 'openai'])('%s has no tokenizer that counts prompts', async (model) => {
    expect((await ask(model, long)).status).toBe(200);
    expect(requestedPaths()).toEqual(['/v1/chat/completions']);
  });

  it.each<[string, (received: ReceivedRequest) => object]>([
    ['no count', () => ({})],
    ['a list', () => []],
    ['a text for a count', () => ({ count: '9000' })],
  ])('a tokenizer that answers with %s is ignored', async (_, reply) => {
    tokenizer['/tokenize'] = reply;
    expect((await ask('vllm', long)).status).toBe(200);
  });

  it('a prompt that certainly fits is not counted, nor one with images', async () => {
    tokenizer['/tokenize'] = () => ({ count: 9000 });
    const hasAsked = async (content: unknown) => {
      upstream.received.length = 0;
      await ask('vllm', content, { max_tokens: 5 });
      return requestedPaths()[0];
    };
    expect(await hasAsked('short')).toBe('/v1/chat/completions');
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(9000)}` } };
    expect(await hasAsked([picture])).toBe('/v1/chat/completions');
  });
});

it('R-7 llama.cpp’s own tokenizer counts what the server did not', async () => {
  tokenizer['/apply-template'] = () => ({ prompt: 'rendered' });
  tokenizer['/tokenize'] = ({ body }) => ({ tokens: Array(body.content === 'rendered' ? 21 : 3).fill(1) });
  const { body } = await ask('llamacpp', 'hello', { tools });
  expect(body.usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 3, total_tokens: 24 });
});
