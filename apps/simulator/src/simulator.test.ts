import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => simulator.close());

const readFile = {
  type: 'function' as const,
  function: {
    name: 'read_file',
    description: 'Reads a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
};
const writeFile = {
  type: 'function' as const,
  function: {
    name: 'write_file',
    description: 'Writes a file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
};
const task = 'Read hello.txt, then create out.txt containing exactly one line: WROTE-BY-TOOL. Then say you are done.';

describe('the API', () => {
  it('streams native calls that the official SDK parses, and answers from the results', async () => {
    const files: Record<string, string> = { 'hello.txt': 'SECRET-HELLO-4711\n' };
    const runner = client.chat.completions.runTools({
      model: 'sim-native',
      stream: true,
      messages: [{ role: 'user', content: task }],
      tools: [
        {
          type: 'function',
          function: {
            ...readFile.function,
            parse: JSON.parse,
            function: ({ path }: { path: string }) => files[path] ?? 'Error: ENOENT',
          },
        },
        {
          type: 'function',
          function: {
            ...writeFile.function,
            parse: JSON.parse,
            function: ({ path, content }: { path: string; content: string }) => {
              files[path] = content;
              return 'ok';
            },
          },
        },
      ],
    });
    const final = await runner.finalContent();
    expect(files['out.txt']).toBe('WROTE-BY-TOOL\n');
    expect(final).toContain('SECRET-HELLO-4711');
    expect(final).toContain('done');
  });

  it('sends chunks in vLLM’s shape, with usage in a last chunk only if requested', async () => {
    const ask = async (options: object) => {
      const response = await fetch(`${simulator.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({
          model: 'sim-native',
          stream: true,
          messages: [{ role: 'user', content: 'Hello' }],
          ...options,
        }),
      });
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const text = await response.text();
      expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
      return text
        .split('\n\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)));
    };
    const plain = await ask({});
    expect(plain[0]).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'sim-native',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
    });
    expect(plain.at(-1).choices).toEqual([
      { index: 0, delta: { content: '' }, logprobs: null, finish_reason: 'stop', stop_reason: null },
    ]);
    const counted = await ask({ stream_options: { include_usage: true } });
    expect(counted.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    });
    expect(counted.filter((chunk) => 'usage' in chunk)).toHaveLength(1);
    const continuous = await ask({ stream_options: { include_usage: true, continuous_usage_stats: true } });
    expect(continuous.every((chunk) => chunk.usage.prompt_tokens > 0)).toBe(true);
  });

  it('answers whole, with the tokens that /tokenize counts', async () => {
    const messages = [{ role: 'user' as const, content: task }];
    const whole = await client.chat.completions.create({ model: 'sim-native', messages, tools: [readFile, writeFile] });
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [{ type: 'function', function: { name: 'read_file', arguments: '{"path":"hello.txt"}' } }],
      },
    });
    const counted = await fetch(`${simulator.url}/tokenize`, {
      method: 'POST',
      body: JSON.stringify({ messages, tools: [readFile, writeFile] }),
    });
    const { count, tokens, max_model_len } = (await counted.json()) as {
      count: number;
      tokens: number[];
      max_model_len: number;
    };
    expect(whole.usage?.prompt_tokens).toBe(count);
    expect(tokens).toHaveLength(count);
    expect(max_model_len).toBe(131_072);
  });

  it('answers /v1/responses, streaming and not', async () => {
    const tools = [readFile, writeFile].map(({ function: functionObject }) => ({
      type: 'function' as const,
      strict: false,
      ...functionObject,
    }));
    const first = await client.responses.create({ model: 'sim-native', input: task, tools });
    expect(first.output).toMatchObject([
      { type: 'function_call', name: 'read_file', arguments: '{"path":"hello.txt"}' },
    ]);
    const call = first.output[0] as { call_id: string };
    const stream = client.responses.stream({
      model: 'sim-native',
      input: [
        { role: 'user', content: task },
        ...(first.output as never[]),
        { type: 'function_call_output', call_id: call.call_id, output: 'SECRET' },
      ],
      tools,
    });
    const deltas: string[] = [];
    stream.on('response.function_call_arguments.delta', ({ delta }) => deltas.push(delta));
    const second = await stream.finalResponse();
    expect(second.output).toMatchObject([{ type: 'function_call', name: 'write_file' }]);
    expect(JSON.parse(deltas.join(''))).toEqual({ path: 'out.txt', content: 'WROTE-BY-TOOL\n' });
    expect(second.usage?.input_tokens).toBeGreaterThan(0);
    const prose = await client.responses.stream({ model: 'sim-native', input: 'Hello' }).finalResponse();
    expect(prose.output_text).toContain('Hello');
  });

  it('plays a model under another id, and only a listed one', async () => {
    const own = await startSimulator({ models: ['sim-native', { id: 'acme/gpt-oss-20b', as: 'sim-refuses-tools' }] });
    const { data } = (await (await fetch(`${own.url}/v1/models`)).json()) as {
      data: { id: string; max_model_len: number }[];
    };
    expect(data.map(({ id }) => id)).toEqual(['sim-native', 'acme/gpt-oss-20b']);
    const status = async (model: string) =>
      (
        await fetch(`${own.url}/v1/chat/completions`, {
          method: 'POST',
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }], tools: [readFile] }),
        })
      ).status;
    expect(await status('acme/gpt-oss-20b')).toBe(400);
    expect(await status('sim-native@chunk=1')).toBe(200);
    expect(await status('sim-leaky')).toBe(404);
    await own.close();
  });

  it('gives n choices, stops at a stop string, completes and embeds', async () => {
    const ask = { model: 'sim-native', messages: [{ role: 'user' as const, content: 'Say 50 words' }] };
    const two = await client.chat.completions.create({ ...ask, n: 2 });
    expect(two.choices.map(({ index }) => index)).toEqual([0, 1]);
    const stopped = await client.chat.completions.create({ ...ask, stop: ' stands' });
    expect(stopped.choices[0]).toMatchObject({
      finish_reason: 'stop',
      stop_reason: ' stands',
      message: { content: 'the model reads what' },
    });
    const text = await client.completions.create({ model: 'sim-native', prompt: 'Once', max_tokens: 5 });
    expect(text.choices[0]).toMatchObject({ finish_reason: 'length' });
    expect(text.usage?.completion_tokens).toBe(5);
    const vectors = await client.embeddings.create({ model: 'sim-native', input: ['a', 'b', 'a'] });
    expect(vectors.data[0]?.embedding).toHaveLength(16);
    expect(vectors.data[0]?.embedding).toEqual(vectors.data[2]?.embedding);
    expect(vectors.data[0]?.embedding).not.toEqual(vectors.data[1]?.embedding);
  });

  it('reasons in a field or in tags', async () => {
    const ask = async (model: string) =>
      (await client.chat.completions.create({ model, messages: [{ role: 'user', content: task }], tools: [readFile] }))
        .choices[0]?.message;
    expect(await ask('sim-reasoning')).toMatchObject({
      reasoning_content: expect.stringContaining('hello.txt'),
      tool_calls: [{}],
    });
    expect((await ask('sim-think'))?.content).toMatch(/^<think>\n[\s\S]+\n<\/think>/);
  });
});
