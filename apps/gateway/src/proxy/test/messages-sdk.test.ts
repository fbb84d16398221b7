import Anthropic from '@anthropic-ai/sdk';
import { type Simulator, startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKey, startProxy, type TestModel, type TestProxy } from './test-proxy.ts';

let simulator: Simulator;
let proxy: TestProxy;
let anthropic: Anthropic;

beforeAll(async () => {
  simulator = await startSimulator();
  const baseUrls = [`${simulator.url}/v1`];
  const models: TestModel[] = [
    { name: 'native', upstreamModel: 'sim-native', strategy: 'native', baseUrls },
    { name: 'prompt', upstreamModel: 'sim-refuses-tools', strategy: 'prompt', dialect: 'hermes', baseUrls },
    { name: 'leaky', upstreamModel: 'sim-leaky', strategy: 'native', dialect: 'hermes', baseUrls },
    { name: 'reasoning', upstreamModel: 'sim-reasoning', strategy: 'native', baseUrls },
    { name: 'small', upstreamModel: 'sim-small', strategy: 'native', baseUrls },
    { name: 'cut', upstreamModel: 'sim-native@faults=truncate-call', strategy: 'native', holdBytes: 16, baseUrls },
    { name: 'broken', upstreamModel: 'sim-native@faults=cut-stream', strategy: 'native', baseUrls },
  ];
  proxy = await startProxy(models);
  anthropic = new Anthropic({ baseURL: proxy.url, apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

const schema = (...names: string[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});

const tools: Anthropic.Tool[] = [
  { name: 'read_file', description: 'Reads a file.', input_schema: schema('path') },
  { name: 'write_file', description: 'Writes a file.', input_schema: schema('path', 'content') },
];

const user = (content: string): Anthropic.MessageParam => ({ role: 'user', content });

/** The same question, streamed or not, as the SDK understands its answer. */
const ask = (streams: boolean, body: Omit<Anthropic.MessageCreateParamsNonStreaming, 'max_tokens'>) =>
  streams
    ? anthropic.messages.stream({ max_tokens: 4096, ...body }).finalMessage()
    : anthropic.messages.create({ max_tokens: 4096, ...body });

const callsIn = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
const textIn = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');

describe.each([true, false])('the official SDK, streaming: %s', (streams) => {
  it('answers in text, with usage and why it stopped', async () => {
    const message = await ask(streams, { model: 'native', messages: [user('Say five words: 5 words')] });
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model: 'native',
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
    expect(textIn(message)).not.toBe('');
    expect(message.usage.input_tokens).toBeGreaterThan(0);
    expect(message.usage.output_tokens).toBeGreaterThan(0);
  });

  it.each(['native', 'prompt', 'leaky'])(
    '%s: reads and writes over three turns, each call with its own id',
    async (model) => {
      const files = new Map([['hello.txt', 'Hello from a file']]);
      const messages = [user('Read hello.txt, then create out.txt containing exactly one line: WROTE-BY-TOOL.')];
      const ids: string[] = [];
      let message = await ask(streams, { model, tools, messages });
      for (let turn = 0; turn < 5 && message.stop_reason === 'tool_use'; turn++) {
        const results = callsIn(message).map(({ id, name, input }): Anthropic.ToolResultBlockParam => {
          const { path, content = '' } = input as { path: string; content?: string };
          ids.push(id);
          if (name === 'write_file') files.set(path, content);
          return {
            type: 'tool_result',
            tool_use_id: id,
            content: name === 'read_file' ? (files.get(path) ?? 'none') : 'ok',
          };
        });
        messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: results });
        message = await ask(streams, { model, tools, messages });
      }
      expect(files.get('out.txt')).toContain('WROTE-BY-TOOL');
      expect(message.stop_reason).toBe('end_turn');
      expect(ids.length).toBeGreaterThanOrEqual(2);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  it.each(['native', 'prompt'])('%s: parallel calls are separate blocks, in order', async (model) => {
    const message = await ask(streams, { model, tools, messages: [user('Read a.txt, b.txt and c.txt in parallel')] });
    expect(callsIn(message).map(({ input }) => input)).toEqual([
      { path: 'a.txt' },
      { path: 'b.txt' },
      { path: 'c.txt' },
    ]);
    expect(message.stop_reason).toBe('tool_use');
  });

  it('disable_parallel_tool_use leaves one call', async () => {
    const message = await ask(streams, {
      model: 'native',
      tools,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      messages: [user('Read a.txt, b.txt and c.txt in parallel')],
    });
    expect(callsIn(message)).toHaveLength(1);
  });

  it('reasoning is a thinking block with a signature, which comes back as reasoning', async () => {
    const params = { model: 'reasoning', tools, thinking: { type: 'adaptive' as const } };
    const first = await ask(streams, { ...params, messages: [user('Read hello.txt')] });
    const [thinking] = first.content;
    expect(thinking).toMatchObject({ type: 'thinking', signature: expect.stringMatching(/^callsmith\./) });
    const thinkingText = thinking?.type === 'thinking' ? thinking.thinking : '';
    expect(thinkingText).not.toBe('');
    const results = callsIn(first).map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: 'Hello',
    }));
    await ask(streams, {
      ...params,
      messages: [
        user('Read hello.txt'),
        { role: 'assistant', content: first.content },
        { role: 'user', content: results },
      ],
    });
    const sent = simulator.requests.at(-1)?.body as { messages: { role: string; reasoning_content?: string }[] };
    expect(sent.messages.find(({ role }) => role === 'assistant')?.reasoning_content).toBe(thinkingText);
  });

  it('omitted reasoning comes back from its signature', async () => {
    const params = { model: 'reasoning', tools, thinking: { type: 'adaptive' as const, display: 'omitted' as const } };
    const first = await ask(streams, { ...params, messages: [user('Read hello.txt')] });
    expect(first.content[0]).toMatchObject({ type: 'thinking', thinking: '' });
    await ask(streams, {
      ...params,
      messages: [
        user('Read hello.txt'),
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: callsIn(first).map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Hello' })),
        },
      ],
    });
    const sent = simulator.requests.at(-1)?.body as { messages: { role: string; reasoning_content?: string }[] };
    expect(sent.messages.find(({ role }) => role === 'assistant')?.reasoning_content).toBeTruthy();
  });

  it('D-1 a cut call is dropped, and the message says max_tokens', async () => {
    const message = await ask(streams, { model: 'cut', tools, messages: [user('Read hello.txt')] });
    expect(callsIn(message)).toEqual([]);
    expect(message.stop_reason).toBe('max_tokens');
  });

  it('a stream that breaks is an error of the SDK, and the same request succeeds when not streamed', async () => {
    const pendingAnswer = ask(streams, { model: 'broken', messages: [user('Say 50 words')] });
    if (streams) await expect(pendingAnswer).rejects.toThrow(/cut|closed|ended/i);
    else expect((await pendingAnswer).stop_reason).toBe('end_turn');
  });

  it('a prompt that is too long is reported in the wording that clients read numbers from', async () => {
    const long = 'word '.repeat(5000);
    await expect(ask(streams, { model: 'small', messages: [user(long)] })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/prompt is too long: \d+ tokens > 2048 maximum/),
    });
  });
});

it('an image reaches the model, in a message and from a result, and a failed result is marked as one', async () => {
  const image: Anthropic.ImageBlockParam = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
  };
  await ask(false, {
    model: 'native',
    tools,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a.png' } },
          { type: 'tool_use', id: 'toolu_2', name: 'read_file', input: { path: 'b.png' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [image] },
          { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true, content: 'no such file' },
        ],
      },
    ],
  });
  const sent = simulator.requests.at(-1)?.body as { messages: { role: string; content: unknown }[] } | undefined;
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
  expect(sent?.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', [{ type: 'text', text: 'What is this?' }, picture]],
    ['assistant', null],
    ['tool', '[picture or file: see the next message]'],
    ['tool', 'Error: no such file'],
    ['user', [{ type: 'text', text: 'From the tool results above:' }, picture]],
  ]);
});

it('counts tokens', async () => {
  const messages = [user('Read hello.txt')];
  const bare = await anthropic.messages.countTokens({ model: 'native', messages });
  const withTools = await anthropic.messages.countTokens({ model: 'native', messages, tools });
  expect(bare.input_tokens).toBeGreaterThan(0);
  expect(withTools.input_tokens).toBeGreaterThan(bare.input_tokens);
});

it('lists models in pages, and gets one by name', async () => {
  const names: string[] = [];
  for await (const model of anthropic.models.list({ limit: 2 })) names.push(model.id);
  expect(names).toEqual(proxy.snapshot.models().map(({ name }) => name));
  expect(await anthropic.models.retrieve('native')).toMatchObject({
    type: 'model',
    id: 'native',
    display_name: 'native',
  });
  await expect(anthropic.models.retrieve('none')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
});

it('a base URL that ends in /v1 works too', async () => {
  const twice = new Anthropic({ baseURL: `${proxy.url}/v1`, apiKey, maxRetries: 0 });
  const message = await twice.messages.create({ model: 'native', max_tokens: 10, messages: [user('Say hello')] });
  expect(message.type).toBe('message');
  expect((await twice.messages.countTokens({ model: 'native', messages: [user('Hi')] })).input_tokens).toBeGreaterThan(
    0,
  );
  expect((await twice.models.list()).data.length).toBeGreaterThan(0);
});

it('errors are the SDK’s own classes', async () => {
  const about = { model: 'native', max_tokens: 10, messages: [user('Hi')] };
  const stranger = new Anthropic({ baseURL: proxy.url, apiKey: 'sk-wrong', maxRetries: 0 });
  await expect(stranger.messages.create(about)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  await expect(anthropic.messages.create({ ...about, model: 'none' })).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  await expect(anthropic.messages.create({ ...about, max_tokens: 'many' as never })).rejects.toMatchObject({
    status: 400,
    requestID: expect.stringMatching(/./),
    error: { type: 'error', error: { type: 'invalid_request_error', message: expect.stringContaining('max_tokens') } },
  });
});
