import { type Simulator, startSimulator } from '@callsmith/simulator';
import {
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  Type,
} from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKey, startProxy, type TestModel, type TestProxy } from './test-proxy.ts';

let simulator: Simulator;
let proxy: TestProxy;
let google: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  const baseUrls = [`${simulator.url}/v1`];
  const models: TestModel[] = [
    { name: 'native', upstreamModel: 'sim-native', strategy: 'native', baseUrls },
    { name: 'prompt', upstreamModel: 'sim-refuses-tools', strategy: 'prompt', dialect: 'hermes', baseUrls },
    { name: 'leaky', upstreamModel: 'sim-leaky', strategy: 'native', dialect: 'hermes', baseUrls },
    { name: 'org/reasoning:8b', upstreamModel: 'sim-reasoning', strategy: 'native', baseUrls },
    { name: 'cut', upstreamModel: 'sim-native@faults=truncate-call', strategy: 'native', holdBytes: 16, baseUrls },
    { name: 'broken', upstreamModel: 'sim-native@faults=cut-stream', strategy: 'native', baseUrls },
  ];
  proxy = await startProxy(models);
  google = client(proxy.url);
});

afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

const client = (baseUrl: string, key = apiKey): GoogleGenAI =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl, retryOptions: { attempts: 1 } } });

const schema = (...names: string[]) => ({
  type: Type.OBJECT,
  properties: Object.fromEntries(names.map((name) => [name, { type: Type.STRING }])),
  required: names,
});

const tools = [
  {
    functionDeclarations: [
      { name: 'read_file', description: 'Reads a file.', parameters: schema('path') },
      { name: 'write_file', description: 'Writes a file.', parameters: schema('path', 'content') },
    ],
  },
];

const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });

type Question = Parameters<GoogleGenAI['models']['generateContent']>[0];

interface Answer {
  readonly parts: readonly Part[];
  readonly finish: string | undefined;
  readonly counted: number | undefined;
}

/** The same question, streamed or not, as the SDK understands its answer. */
async function ask(streams: boolean, question: Question): Promise<Answer> {
  const chunks: GenerateContentResponse[] = [];
  if (streams) for await (const chunk of await google.models.generateContentStream(question)) chunks.push(chunk);
  else chunks.push(await google.models.generateContent(question));
  const last = chunks.at(-1);
  return {
    parts: chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []),
    finish: last?.candidates?.[0]?.finishReason,
    counted: last?.usageMetadata?.totalTokenCount,
  };
}

const callsIn = ({ parts }: Answer) => parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
const textIn = ({ parts }: Answer) => parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join('');

describe.each([true, false])('the official SDK, streaming: %s', (streams) => {
  it('answers in text, with usage and why it stopped', async () => {
    const answer = await ask(streams, { model: 'native', contents: 'Say five words: 5 words' });
    expect(textIn(answer)).not.toBe('');
    expect(answer).toMatchObject({ finish: 'STOP', counted: expect.any(Number) });
  });

  it.each(['native', 'prompt', 'leaky'])(
    '%s: reads and writes over three turns, each call with its own id',
    async (model) => {
      const files = new Map([['hello.txt', 'Hello from a file']]);
      const contents = [user('Read hello.txt, then create out.txt containing exactly one line: WROTE-BY-TOOL.')];
      const ids: string[] = [];
      let answer = await ask(streams, { model, contents, config: { tools } });
      for (let turn = 0; turn < 5 && callsIn(answer).length > 0; turn++) {
        const parts = callsIn(answer).map(({ id = '', name = '', args }): Part => {
          const { path, content = '' } = args as { path: string; content?: string };
          ids.push(id);
          if (name === 'write_file') files.set(path, content);
          const output = name === 'read_file' ? (files.get(path) ?? 'none') : 'ok';
          return { functionResponse: { id, name, response: { output } } };
        });
        contents.push({ role: 'model', parts: [...answer.parts] }, { role: 'user', parts });
        answer = await ask(streams, { model, contents, config: { tools } });
      }
      expect(files.get('out.txt')).toContain('WROTE-BY-TOOL');
      expect(answer.finish).toBe('STOP');
      expect(ids.length).toBeGreaterThanOrEqual(2);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  it.each(['native', 'prompt'])('%s: parallel calls are separate parts, in order', async (model) => {
    const contents = 'Read a.txt, b.txt and c.txt in parallel';
    const calls = callsIn(await ask(streams, { model, contents, config: { tools } }));
    expect(calls.map(({ args }) => args)).toEqual([{ path: 'a.txt' }, { path: 'b.txt' }, { path: 'c.txt' }]);
  });

  it('a mode that demands a call gets one', async () => {
    const mode = FunctionCallingConfigMode.ANY;
    const answer = await ask(streams, {
      model: 'prompt',
      contents: 'Say hello',
      config: { tools, toolConfig: { functionCallingConfig: { mode, allowedFunctionNames: ['read_file'] } } },
    });
    expect(callsIn(answer)).toMatchObject([{ name: 'read_file' }]);
  });

  it('thoughts are shown if requested, and come back as reasoning with their call', async () => {
    const model = 'org/reasoning:8b';
    const params = { model, config: { tools, thinkingConfig: { includeThoughts: true } } };
    const first = await ask(streams, { ...params, contents: [user('Read hello.txt')] });
    const thoughts = first.parts.map(({ text, thought }) => (thought ? text : '')).join('');
    expect(thoughts).not.toBe('');
    const hidden = await ask(streams, { model, config: { tools }, contents: [user('Read hello.txt')] });
    expect(hidden.parts.some(({ thought }) => thought)).toBe(false);
    for (const { parts } of [first, hidden]) {
      const call = parts.find(({ functionCall }) => functionCall)?.functionCall;
      const result = { functionResponse: { id: call?.id ?? '', name: 'read_file', response: { output: 'Hello' } } };
      const contents = [
        user('Read hello.txt'),
        { role: 'model', parts: [...parts] },
        { role: 'user', parts: [result] },
      ];
      await ask(streams, { ...params, contents });
      const sent = simulator.requests.at(-1)?.body as { messages: { role: string; reasoning_content?: string }[] };
      expect(sent.messages.find(({ role }) => role === 'assistant')?.reasoning_content).toBe(thoughts);
    }
  });

  it('D-1 a cut call is dropped, and the response says MAX_TOKENS', async () => {
    const answer = await ask(streams, { model: 'cut', contents: 'Read hello.txt', config: { tools } });
    expect(callsIn(answer)).toEqual([]);
    expect(answer.finish).toBe('MAX_TOKENS');
  });

  it('a stream that breaks is an error of the SDK, and the same request succeeds when not streamed', async () => {
    const pendingAnswer = ask(streams, { model: 'broken', contents: 'Say 50 words' });
    if (streams) await expect(pendingAnswer).rejects.toThrow(/cut|closed|ended/i);
    else expect((await pendingAnswer).finish).toBe('STOP');
  });
});

it('a response by a schema in this API’s own form', async () => {
  const answer = await ask(false, {
    model: 'native',
    contents: 'Say hello',
    config: { responseMimeType: 'application/json', responseSchema: schema('word') },
  });
  expect(answer.finish).toBe('STOP');
  expect(simulator.requests.at(-1)?.body).toMatchObject({
    response_format: { json_schema: { schema: { type: 'object', properties: { word: { type: 'string' } } } } },
  });
});

it('counts tokens', async () => {
  const bare = await google.models.countTokens({ model: 'native', contents: 'Read hello.txt' });
  const more = await google.models.countTokens({ model: 'native', contents: 'Read hello.txt and all else there is' });
  expect(bare.totalTokens).toBeGreaterThan(0);
  expect(more.totalTokens).toBeGreaterThan(bare.totalTokens ?? 0);
});

it('lists models in pages, and gets one by name, slashes and colons included', async () => {
  const names: (string | undefined)[] = [];
  for await (const model of await google.models.list({ config: { pageSize: 2 } })) names.push(model.name);
  expect(names).toEqual(proxy.snapshot.models().map(({ name }) => `models/${name}`));
  expect(await google.models.get({ model: 'org/reasoning:8b' })).toMatchObject({ displayName: 'org/reasoning:8b' });
  await expect(google.models.get({ model: 'none' })).rejects.toMatchObject({ status: 404 });
});

it('a base URL that ends in /v1 works too', async () => {
  const twice = client(`${proxy.url}/v1`);
  const { text } = await twice.models.generateContent({ model: 'native', contents: 'Say hello' });
  expect(text).toBeTruthy();
});

it('errors are the SDK’s own, and name what is wrong', async () => {
  const question = { model: 'native', contents: 'Hi' };
  await expect(client(proxy.url, 'wrong').models.generateContent(question)).rejects.toMatchObject({
    name: 'ApiError',
    status: 401,
    message: expect.stringContaining('UNAUTHENTICATED'),
  });
  const hot = { ...question, config: { temperature: 9 } };
  await expect(google.models.generateContent(hot)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('generationConfig.temperature'),
  });
});
