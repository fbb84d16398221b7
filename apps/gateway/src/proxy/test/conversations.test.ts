import { type Simulator, startSimulator } from '@callsmith/simulator';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiKey, postJson, startProxy, type TestProxy } from './test-proxy.ts';
import {
  call,
  chunk,
  done,
  json,
  role,
  startUpstream,
  stop,
  stream,
  type TestUpstream,
  text,
} from './test-upstream.ts';

let simulator: Simulator;
let upstream: TestUpstream;
let proxy: TestProxy;
let openai: OpenAI;

beforeAll(async () => {
  [simulator, upstream] = await Promise.all([startSimulator(), startUpstream()]);
  proxy = await startProxy([
    { name: 'native', strategy: 'native', baseUrls: [upstream.baseUrl] },
    { name: 'prompt', strategy: 'prompt', dialect: 'hermes', baseUrls: [upstream.baseUrl] },
    { name: 'auto', dialect: 'hermes', baseUrls: [upstream.baseUrl], upstream: { id: 'up_auto' } },
    { name: 'works', upstreamModel: 'sim-native', strategy: 'native', baseUrls: [`${simulator.url}/v1`] },
    {
      name: 'works-by-prompt',
      upstreamModel: 'sim-refuses-tools',
      dialect: 'hermes',
      baseUrls: [`${simulator.url}/v1`],
    },
  ]);
  openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await proxy.close();
  await Promise.all([simulator.close(), upstream.close()]);
});

const tools: ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      description: 'Reads a file.',
      parameters: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { path: { type: 'string' }, limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
        required: ['path'],
        additionalProperties: false,
      },
    },
  },
  { type: 'function', function: { name: 'git_status' } },
];
const args = (path: string): string => JSON.stringify({ path });
const counted = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\n';
const upstreamBody = (at: number) =>
  upstream.received[at]?.body as { messages: { role: string; content: string }[]; tools?: unknown[] };

describe.each(['native', 'prompt'])('%s', (model) => {
  const reads = (path: string) =>
    model === 'native'
      ? stream(role, call(0, 'read_file', args(path)), chunk({}, 'tool_calls'), counted, done)
      : stream(
          role,
          text(`<tool_call>{"name":"read_file","arguments":${args(path)}}</tool_call>`),
          stop,
          counted,
          done,
        );

  /** Plays a conversation of four turns, each with its results, as a client does. */
  async function converse(result: (path: string) => string): Promise<void> {
    upstream.behave(reads('one'), reads('two'), reads('three'), stream(role, text('Done.'), stop, counted, done));
    const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Read one, two and three.' }];
    for (let turn = 0; turn < 4; turn++) {
      const answer = await openai.chat.completions.stream({ model, tools, messages }).finalMessage();
      messages.push(answer);
      for (const made of answer.tool_calls ?? []) {
        if (made.type !== 'function') continue;
        const { path } = JSON.parse(made.function.arguments) as { path: string };
        messages.push({ role: 'tool', tool_call_id: made.id, content: result(path) });
      }
    }
    expect(upstream.received).toHaveLength(4);
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Done.' });
  }

  it('SC-002 FR-009 every result of the conversation follows its call in the model’s context, in every later turn', async () => {
    await converse((path) => `what ${path} says`);
    for (const turn of [1, 2, 3]) {
      const messagesJson = JSON.stringify(upstreamBody(turn).messages);
      const places = ['one', 'two', 'three']
        .slice(0, turn)
        .flatMap((path) => [
          messagesJson.indexOf(JSON.stringify(args(path)).slice(1, -1)),
          messagesJson.indexOf(`what ${path} says`),
        ]);
      expect(places).not.toContain(-1);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }
  });

  it('FR-017 the tools are described in the same bytes in every turn, in the same place', async () => {
    await converse((path) => `what ${path} says`);
    const toolTexts = [0, 1, 2, 3].map((turn) =>
      JSON.stringify(upstreamBody(turn).tools ?? upstreamBody(turn).messages[0]),
    );
    expect(toolTexts[0]).toContain('read_file');
    expect(new Set(toolTexts).size).toBe(1);
    if (model !== 'native') return;
    const [first, second] = upstreamBody(0).tools as { function: object }[];
    expect(first).toEqual(tools[0]);
    expect(JSON.stringify(first?.function)).toBe(JSON.stringify(tools[0]?.type === 'function' && tools[0].function));
    expect(second?.function).toMatchObject({ name: 'git_status' });
  });

  it('E-5 a tool’s error message reaches the model unchanged', async () => {
    const failure =
      'Error: ENOENT: no such file or directory, open "a\\b"\n    at open (node:fs:1)\n[timed out after 30 s]';
    await converse(() => failure);
    for (const turn of [1, 2, 3])
      expect(upstreamBody(turn).messages.some(({ content }) => content?.includes(failure))).toBe(true);
  });
});

it('E-3 R-10 a model server without native calls answers in text, which is parsed as the call it is', async () => {
  upstream.behave(
    json(400, { error: { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser' } }),
    stream(role, text(`<tool_call>{"name":"read_file","arguments":${args('a')}}</tool_call>`), stop, done),
  );
  const { choices } = await openai.chat.completions.create({
    model: 'auto',
    tools,
    messages: [{ role: 'user', content: 'Read a.' }],
  });
  expect(choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: null,
      tool_calls: [{ type: 'function', function: { name: 'read_file', arguments: args('a') } }],
    },
  });
  expect(upstreamBody(0).tools).toHaveLength(2);
  expect(upstreamBody(1).tools).toBeUndefined();
});

it('H-1 native and text calls look the same to the client, streaming or whole', async () => {
  const plain = (answer: string) =>
    answer.replace(/call_[0-9a-f]+|chatcmpl-[0-9a-f]+|"created":\d+|"usage":\{.*?\}+/g, '…');
  const answers = async (model: string, streams: boolean) => {
    const reply = await postJson(proxy, '/v1/chat/completions', {
      model,
      tools,
      stream: streams,
      messages: [{ role: 'user', content: 'Read a.' }],
    });
    return plain((await reply.text()).replaceAll(`"model":"${model}"`, '"model":"m"'));
  };
  for (const streams of [true, false]) {
    upstream.behave(stream(role, call(0, 'read_file', args('a')), chunk({}, 'tool_calls'), done));
    const native = await answers('native', streams);
    upstream.behave(
      stream(role, text(`<tool_call>{"name":"read_file","arguments":${args('a')}}</tool_call>`), stop, done),
    );
    expect(await answers('prompt', streams)).toBe(native);
    expect(native).toContain('"finish_reason":"tool_calls"');
  }
});

describe.each(['works', 'works-by-prompt'])('%s', (model) => {
  const words = new Map([
    ['a.txt', 'ALPHA-11'],
    ['b.txt', 'BRAVO-22'],
    ['c.txt', 'CHARLIE-33'],
  ]);

  /** What the whole task takes in units of a turn of the model or of a tool; tools called together run together. */
  async function timeOf(parallel: boolean): Promise<number> {
    let time = 0;
    const messages: ChatCompletionMessageParam[] = [
      { role: 'user', content: 'Read a.txt, b.txt and c.txt in parallel. Then say what each of them says.' },
    ];
    for (;;) {
      const { choices } = await openai.chat.completions.create({
        model,
        tools,
        messages,
        parallel_tool_calls: parallel,
      });
      const message = choices[0]?.message;
      if (!message) throw new Error('no answer');
      time += 1;
      messages.push(message);
      if (!message.tool_calls) {
        for (const word of words.values()) expect(message.content).toContain(word);
        return time;
      }
      time += 1;
      for (const made of message.tool_calls) {
        const { path } = JSON.parse(made.type === 'function' ? made.function.arguments : '{}') as { path: string };
        messages.push({ role: 'tool', tool_call_id: made.id, content: words.get(path) ?? 'no such file' });
      }
    }
  }

  it('SC-005 parallel calls save at least 40 % of the time of three independent tools', async () => {
    const [together, apart] = [await timeOf(true), await timeOf(false)];
    expect(apart).toBe(7);
    expect(together).toBeLessThanOrEqual(apart * 0.6);
  });
});

describe('SC-003 the gateway adds less than 200 ms', () => {
  beforeEach(() => upstream.behave(stream(role, ...Array.from({ length: 50 }, () => text('word ')), stop, done)));

  it.each([
    ['with tools', { tools }],
    ['without', {}],
  ])('%s, compared with the same request sent directly', async (_, more) => {
    const timed = async (url: string): Promise<number> => {
      const since = performance.now();
      const reply = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ model: 'native', stream: true, messages: [{ role: 'user', content: 'Hi' }], ...more }),
      });
      expect(await reply.text()).toContain('[DONE]');
      return performance.now() - since;
    };
    const direct: number[] = [];
    const through: number[] = [];
    for (let n = 0; n < 20; n++) {
      direct.push(await timed(upstream.baseUrl));
      through.push(await timed(`${proxy.url}/v1`));
    }
    // The best of each: what a busy machine adds to some of them says nothing about the gateway.
    expect(Math.min(...through) - Math.min(...direct)).toBeLessThan(200);
    const addedTimes = proxy.recorder.turns.slice(-20).map(({ addedUs }) => addedUs ?? Number.POSITIVE_INFINITY);
    expect(Math.min(...addedTimes)).toBeGreaterThan(0);
    expect(Math.min(...addedTimes)).toBeLessThan(200_000);
  });
});
