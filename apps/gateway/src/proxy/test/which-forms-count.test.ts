import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postJson, startProxy, type TestModel, type TestProxy } from './test-proxy.ts';
import { call, done, json, role, startUpstream, stop, stream, type TestUpstream, text } from './test-upstream.ts';

let upstream: TestUpstream;
let proxy: TestProxy;

beforeAll(async () => {
  upstream = await startUpstream();
  const baseUrls = [upstream.baseUrl];
  const models = (['native', 'prompt', 'auto'] as const).flatMap((strategy): TestModel[] => [
    { name: `unknown, ${strategy}`, strategy, mappedDialect: 'auto', baseUrls },
    { name: `declared auto, ${strategy}`, strategy, dialect: 'auto', baseUrls },
    { name: `mapped to deepseek-v3-r1, ${strategy}`, strategy, mappedDialect: 'deepseek-v3-r1', baseUrls },
    { name: `mapped to harmony, ${strategy}`, strategy, mappedDialect: 'harmony', baseUrls },
    { name: `mapped to hermes, ${strategy}`, strategy, mappedDialect: 'hermes', baseUrls },
    { name: `learning, ${strategy}`, strategy, mappedDialect: 'auto', baseUrls, upstream: { id: `up_${strategy}` } },
    { name: `declared, ${strategy}`, strategy, dialect: 'glm-4.5', baseUrls },
  ]);
  proxy = await startProxy(models);
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [{ type: 'function', function: { name: 'read_file', parameters } }];
const listed = '{"tool_calls":[{"name":"read_file","arguments":{"path":"/tmp/a"}}]}';
const forms = [
  listed,
  `I look.\n\n\`\`\`json\n${listed}\n\`\`\``,
  'Tool: read_file(path="/tmp/a")',
  'I look.\nAction: read_file\nAction Input: {"path": "/tmp/a"}',
  '[read_file(path="/tmp/a")]',
];

/** What the client gets of an answer that says `modelText`. */
async function answered(model: string, modelText: string, streamed: boolean) {
  const pieces = (modelText.match(/.{1,5}/gs) ?? []).map(text);
  const answer = streamed
    ? stream(role, ...pieces, stop, done)
    : json(200, { choices: [{ index: 0, message: { role: 'assistant', content: modelText }, finish_reason: 'stop' }] });
  const refused = json(400, { error: { message: '"auto" tool choice requires --enable-auto-tool-choice' } });
  upstream.behave((response, received) =>
    (model.endsWith(', auto') && received.body.tools ? refused : answer)(response, received),
  );
  const body = { model, messages: [{ role: 'user', content: 'Read it' }], tools, stream: streamed };
  const before = proxy.recorder.turns.length;
  const reply = await postJson(proxy, '/v1/chat/completions', body);
  await reply.text();
  await expect.poll(() => proxy.recorder.turns.length).toBe(before + 1);
  const turn = proxy.recorder.turns[before]!;
  expect(turn.strategyUsed).toBe(model.endsWith(', native') ? 'native' : 'prompt');
  const [choice] = turn.body!.delivered as { text: string; calls: { name: string; arguments: string }[] }[];
  return { text: choice?.text, calls: choice?.calls.map((one) => [one.name, JSON.parse(one.arguments)]) };
}

describe.each(['native', 'prompt', 'auto'])('with the strategy %s, where auto retreats to the prompt', (strategy) => {
  it.each(['unknown', 'declared auto', 'mapped to deepseek-v3-r1', 'mapped to harmony', 'mapped to hermes'])(
    'D-33 for a model without a declared dialect every form is parsed: %s',
    async (name) => {
      for (const form of forms) {
        for (const streamed of [true, false]) {
          const { text: shown, calls } = await answered(`${name}, ${strategy}`, form, streamed);
          expect(calls, form).toEqual([['read_file', { path: '/tmp/a' }]]);
          expect(shown?.trim()).toBe(form.startsWith('I look.') ? 'I look.' : '');
        }
      }
    },
  );

  it('D-33 for a declared dialect only that is parsed, and what cannot be prose', async () => {
    for (const form of forms)
      expect(await answered(`declared, ${strategy}`, form, true), form).toEqual({ text: form, calls: [] });
    const marked = '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "/tmp/a"}}]';
    expect((await answered(`declared, ${strategy}`, marked, true)).calls).toHaveLength(1);
  });
});

describe('D-33 once a model was seen to mark its calls', () => {
  const behindProse = 'To read a file you would send:\nTool: read_file(path="/tmp/a")';
  const marked = '<tool_call>\n{"name": "read_file", "arguments": {"path": "/tmp/a"}}\n</tool_call>';

  it('by prompt: a call without markers after prose is text, on that upstream', async () => {
    for (let n = 0; n < 3; n++) {
      expect((await answered('learning, prompt', behindProse, true)).calls).toHaveLength(1);
      expect((await answered('learning, prompt', marked, n === 0)).calls).toHaveLength(1);
    }
    for (const streamed of [true, false])
      expect(await answered('learning, prompt', behindProse, streamed)).toEqual({ text: behindProse, calls: [] });
    expect(proxy.snapshot.learned.filter(({ what }) => what === 'marked-calls')).toMatchObject([
      { modelId: 'model_learning, prompt', upstreamId: 'up_prompt', value: true },
    ]);
    expect((await answered('unknown, prompt', behindProse, true)).calls).toHaveLength(1);
  });

  it('natively: three native calls teach that, in one response or several', async () => {
    const ask = async () => {
      upstream.behave(
        stream(role, call(0, 'read_file', '{"path":"a"}'), call(1, 'read_file', '{"path":"b"}'), stop, done),
      );
      const reply = await postJson(proxy, '/v1/chat/completions', {
        model: 'learning, native',
        messages: [{ role: 'user', content: 'Read it' }],
        tools,
        stream: true,
      });
      await reply.text();
    };
    await ask();
    expect((await answered('learning, native', behindProse, true)).calls).toHaveLength(1);
    await ask();
    expect(await answered('learning, native', behindProse, true)).toEqual({ text: behindProse, calls: [] });
  });
});
