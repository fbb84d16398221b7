import { type Simulator, startSimulator } from '@callsmith/simulator';
import OpenAI from 'openai';
import type { ChatCompletionTool } from 'openai/resources/chat/completions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKey, startProxy, type TestModel, type TestProxy } from './test-proxy.ts';

let simulator: Simulator;
let proxy: TestProxy;
let openai: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  const baseUrls = [`${simulator.url}/v1`];
  const models: TestModel[] = [
    { name: 'native', upstreamModel: 'sim-native', strategy: 'native', baseUrls },
    { name: 'prompt', upstreamModel: 'sim-refuses-tools', strategy: 'prompt', dialect: 'hermes', baseUrls },
    { name: 'leaky', upstreamModel: 'sim-leaky', strategy: 'native', dialect: 'hermes', baseUrls },
    { name: 'auto', upstreamModel: 'sim-refuses-tools', strategy: 'auto', baseUrls },
    {
      name: 'auto-ollama',
      upstreamModel: 'sim-refuses-tools-ollama',
      strategy: 'auto',
      baseUrls,
      upstream: { id: 'up_ollama' },
      kind: 'ollama',
    },
    { name: 'engine-500', upstreamModel: 'sim-native@engine=ollama,faults=engine-500', strategy: 'native', baseUrls },
  ];
  proxy = await startProxy(models);
  openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

const tools: ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      description: 'Reads a file.',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
  {
    type: 'function',
    function: {
      name: 'write_file',
      description: 'Writes a file.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' } },
        required: ['path', 'content'],
      },
    },
  },
];

const task = 'Read the file hello.txt';

describe.each(['native', 'prompt', 'leaky', 'auto', 'auto-ollama'])('%s', (model) => {
  const about = { model, tools, messages: [{ role: 'user' as const, content: task }] };

  it('FR-006 FR-008 answers whole with a call', async () => {
    const { choices, usage } = await openai.chat.completions.create(about);
    const [choice] = choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const [call] = choice?.message.tool_calls ?? [];
    expect(call).toMatchObject({
      type: 'function',
      id: expect.stringMatching(/^call_/),
      function: { name: 'read_file' },
    });
    expect(call?.type === 'function' && JSON.parse(call.function.arguments)).toEqual({ path: 'hello.txt' });
    expect(usage?.total_tokens).toBeGreaterThan(0);
  });

  it('FR-011 streams the call, and usage if requested', async () => {
    const stream = openai.chat.completions.stream({ ...about, stream_options: { include_usage: true } });
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(call?.type === 'function' && JSON.parse(call.function.arguments)).toEqual({ path: 'hello.txt' });
    expect(usage?.total_tokens).toBeGreaterThan(0);
  });

  it.each([true, false])(
    'M-9 FR-009 the official SDK’s runTools reads and writes over three turns (streaming: %s)',
    async (streams) => {
      const files = new Map([['hello.txt', 'Hello from a file']]);
      const body = {
        model,
        messages: [
          {
            role: 'user' as const,
            content: 'Read hello.txt, then create out.txt containing exactly one line: WROTE-BY-TOOL.',
          },
        ],
        tools: [
          {
            type: 'function' as const,
            function: {
              name: 'read_file',
              description: 'Reads a file.',
              parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
              parse: JSON.parse,
              function: ({ path }: { path: string }) => files.get(path) ?? 'no such file',
            },
          },
          {
            type: 'function' as const,
            function: {
              name: 'write_file',
              description: 'Writes a file.',
              parameters: {
                type: 'object',
                properties: { path: { type: 'string' }, content: { type: 'string' } },
                required: ['path', 'content'],
              },
              parse: JSON.parse,
              function: ({ path, content }: { path: string; content: string }) => {
                files.set(path, content);
                return 'written';
              },
            },
          },
        ],
      };
      const runner = streams
        ? openai.chat.completions.runTools({ ...body, stream: true })
        : openai.chat.completions.runTools(body);
      const last = await runner.finalContent();
      expect(last).toBeTruthy();
      expect(files.get('out.txt')).toContain('WROTE-BY-TOOL');
    },
  );
});

it('D-25 auto learned from the refusal, once, and uses the prompt strategy from then on', async () => {
  const found = proxy.snapshot.learned.filter(
    ({ modelId, what }) => modelId === 'model_auto' && what === 'native-tools',
  );
  expect(found).toMatchObject([{ value: false, engineVersion: '1.0' }]);
  const reply = await openai.chat.completions
    .create({ model: 'auto', tools, messages: [{ role: 'user', content: task }] })
    .withResponse();
  expect(reply.response.headers.get('x-callsmith-strategy')).toBe('prompt');
  expect(proxy.recorder.turns.at(-1)).toMatchObject({ attempts: 1, strategyUsed: 'prompt', outcome: 'clean' });
});

it('a leaked call is rescued, and counted as repaired', () => {
  const turn = proxy.recorder.turns.find(({ model, calls }) => model === 'leaky' && calls.length > 0);
  expect(turn).toMatchObject({ outcome: 'repaired', classes: ['LeakedCall'], strategyUsed: 'native' });
  expect(turn?.calls[0]).toMatchObject({ tool: 'read_file', outcome: 'repaired', action: 'rescued' });
  expect(turn?.body?.raw[0]?.text).toContain('<tool_call>');
});

it('an engine’s 500 with its model’s own call is a turn, not an outage', async () => {
  for (let n = 0; n < 7; n++) {
    const { choices } = await openai.chat.completions.create({
      model: 'engine-500',
      tools,
      messages: [{ role: 'user', content: task }],
    });
    expect(choices[0]?.finish_reason).toMatch(/^(?:tool_calls|stop)$/);
  }
  expect(proxy.recorder.turns.at(-1)?.classes).toContain('EngineRejected');
});
