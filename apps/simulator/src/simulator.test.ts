import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatorHandle, startSimulator } from './simulator.ts';

let simulator: SimulatorHandle;
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

describe('the wire', () => {
  it('streams native calls as the official SDK reads them, and answers from the results', async () => {
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

  it('sends chunks in vLLM’s shape, with usage in a last chunk only when asked', async () => {
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
});
