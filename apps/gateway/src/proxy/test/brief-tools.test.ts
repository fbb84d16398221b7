import type { JsonObject } from '@callsmith/turn';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { call, chunk, done, json, role, stream, testUpstream, text } from './test-upstream.ts';

const upstream = await testUpstream();
let proxy: TestProxy;
beforeEach(async () => {
  const baseUrls = [upstream.baseUrl];
  proxy = await startProxy([
    { name: 'native', strategy: 'native', baseUrls },
    { name: 'prompt', strategy: 'prompt', dialect: 'hermes', baseUrls },
  ]);
});
afterEach(() => proxy.close());

/** More than is quoted of a schema that was shown. */
const long = 'What it is about is said here at length. '.repeat(40);
const parameters = {
  type: 'object',
  properties: { title: { type: 'string', description: long }, labels: { type: 'string' } },
  required: ['title'],
};
const tools = [
  { type: 'function', function: { name: 'create_issue', description: `Creates an issue. ${long}`, parameters } },
  ...Array.from({ length: 12 }, (_, n) => ({
    type: 'function',
    function: {
      name: `look_${n}`,
      description: `Looks at ${n}. ${long}`,
      parameters: { type: 'object', properties: { place: { type: 'string', description: long } } },
    },
  })),
];
const messages = [{ role: 'user', content: 'Look at 3, please' }];
const briefAbove = (model: string, above: number, more: object = {}): void =>
  proxy.snapshot.change(model, { briefToolsAbove: { value: above, source: 'declared' }, ...more });
const ask = (model: string, more: object = {}): Promise<Response> =>
  postJson(proxy, '/v1/chat/completions', { model, messages, tools, ...more });

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
const bodies = (): any[] => completionRequests().map(({ body }) => body);
/** Without those that count tokens. */
const completionRequests = () => upstream.received.filter(({ url }) => url.endsWith('/chat/completions'));

/** A call in the form of the strategy, streamed or whole. */
const replyWithCall = (model: string, streams: boolean, name: string, args: JsonObject) => {
  const json_ = JSON.stringify(args);
  const content = `<tool_call>\n{"name": "${name}", "arguments": ${json_}}\n</tool_call>`;
  if (streams)
    return model === 'native'
      ? stream(role, call(0, name, json_), chunk({}, 'tool_calls'), done)
      : stream(role, text(content), chunk({}, 'stop'), done);
  const made = { id: 'c', type: 'function', function: { name, arguments: json_ } };
  const message =
    model === 'native' ? { role: 'assistant', content: '', tool_calls: [made] } : { role: 'assistant', content };
  return json(200, { choices: [{ index: 0, message, finish_reason: model === 'native' ? 'tool_calls' : 'stop' }] });
};

it.each([
  ['native', false],
  ['native', true],
  ['prompt', false],
  ['prompt', true],
] as const)(
  'H-7 %s, streamed %s: a call that violates its hidden schema is corrected with that schema',
  async (model, streams) => {
    briefAbove(model, 5);
    // more than is held back of other calls
    const guessed = { title: 't', body: 'x'.repeat(5000) };
    upstream.behave(
      replyWithCall(model, streams, 'create_issue', guessed),
      replyWithCall(model, streams, 'create_issue', { title: 't' }),
    );
    const reply = await ask(model, { stream: streams });
    const answer = await reply.text();
    expect(answer).toContain('create_issue');
    expect(answer).not.toContain('xxxx');
    const [first, second] = bodies();
    const sent = JSON.stringify(first);
    for (const { function: of } of tools) expect(sent).toContain(of.name);
    expect(sent).toContain('Some tools are listed in short');
    expect(sent).not.toContain('labels');
    expect(sent.length).toBeLessThan(JSON.stringify(tools).length * 0.8);
    expect(JSON.stringify(second.messages.at(-1))).toContain('arguments.body: wanted no such key');
    expect(JSON.stringify(second.messages.at(-1))).toContain('labels');
    expect(second.tools).toEqual(first.tools);
    expect(reply.headers.get('x-callsmith-dropped-parameters') ?? '').toContain('tools.parameters');
    await expect.poll(() => proxy.recorder.turns.length).toBe(1);
    const [turn] = proxy.recorder.turns;
    expect(turn).toMatchObject({ outcome: 'repaired', corrected: true });
    expect(JSON.stringify(turn?.body?.notes)).toMatch(/\d of 13 tools shown in brief: about \d{3,4} tokens less/);
  },
);

it('natively a brief tool accepts any arguments and has its first sentence; pinned tools and those that match the conversation are sent whole', async () => {
  briefAbove('native', 5, { pinnedTools: { value: 'look_11, look_10', source: 'declared' } });
  upstream.behave(replyWithCall('native', false, 'look_3', { place: 'here' }));
  await (await ask('native')).text();
  const [{ tools: sent }] = bodies();
  const named = (name: string) => sent.find(({ function: of }: (typeof tools)[number]) => of.name === name)?.function;
  expect(named('create_issue')).toEqual({
    name: 'create_issue',
    description: 'Creates an issue.',
    parameters: { type: 'object', properties: {}, additionalProperties: true },
  });
  for (const n of [3, 10, 11]) expect(named(`look_${n}`)).toEqual(tools[n + 1]?.function);
  expect(bodies()).toHaveLength(1);
});

it.each(['native', 'prompt'])(
  '%s: the same bytes as before with the setting off, with few tools, or without corrections',
  async (model) => {
    upstream.behave(replyWithCall(model, false, 'look_3', { place: 'here' }));
    await (await ask(model)).text();
    briefAbove(model, tools.length);
    await (await ask(model)).text();
    briefAbove(model, 5, { maxCorrections: { value: 0, source: 'declared' } });
    await (await ask(model)).text();
    const sent = completionRequests().map((received) => received.text);
    expect(sent.map((one) => one === sent[0])).toEqual([true, true, true]);
    briefAbove(model, 5, { maxCorrections: { value: 1, source: 'declared' } });
    await (await ask(model)).text();
    expect(completionRequests()[3]?.text === sent[0]).toBe(false);
  },
);

it('the prompt of a later request of the conversation begins with the same bytes', async () => {
  briefAbove('prompt', 5);
  upstream.behave(replyWithCall('prompt', false, 'look_3', { place: 'here' }));
  const history = [
    ...messages,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'look_3', arguments: '{"place":"here"}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'an issue' },
  ];
  await (await ask('prompt')).text();
  await (await ask('prompt', { messages: history })).text();
  const [first, second] = bodies();
  expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
});
