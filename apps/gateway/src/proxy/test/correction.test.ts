import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProxyParts } from '../request/proxy.service.ts';
import { type Body, chatAnswer, chatBodies, type ModelReply, replying, defaultUsage as usage } from './test-chat.ts';
import { apiKey, postJson, startProxy, type TestProxy } from './test-proxy.ts';
import {
  type Behavior,
  call,
  chunk,
  done,
  json,
  type ReceivedRequest,
  role,
  stream,
  testUpstream,
  text,
} from './test-upstream.ts';

const upstream = await testUpstream();
let proxy: TestProxy;

beforeEach(async () => {
  const baseUrls = [upstream.baseUrl];
  proxy = await startProxy([
    { name: 'native', strategy: 'native', baseUrls },
    { name: 'prompt', strategy: 'prompt', dialect: 'hermes', baseUrls },
    { name: 'mistral', strategy: 'native', dialect: 'mistral-v11', baseUrls },
  ]);
});
afterEach(() => proxy.close());

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, lines: { type: 'integer' } },
  required: ['path'],
};
const counting = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
const tools = [
  { type: 'function', function: { name: 'read_file', parameters } },
  { type: 'function', function: { name: 'count_files', parameters: counting } },
];
const messages = [{ role: 'user', content: 'Read /a.txt' }];
const schema = JSON.stringify(parameters);

/** Of the second request. */
const appended = (): Body[] => (bodies()[1] as Body).messages.slice(-2);

const bodies = (): Body[] => chatBodies(upstream);

const ask = (more: object, path = '/v1/chat/completions'): Promise<Response> =>
  postJson(proxy, path, { model: 'native', messages, tools, ...more });

/** The response, of its calls only what they call. */
async function answerOf(response: Response): Promise<Body> {
  const answer = await chatAnswer(response);
  return { ...answer, calls: answer.calls.map((made) => made.function) };
}

/** Answers with text, reasoning and native calls. */
const replyWith = ({ content = '', ...reply }: Omit<ModelReply, 'text'> & { readonly content?: string }): Behavior =>
  replying({ text: [content], ...reply });

const good = replyWith({ calls: [['read_file', '{"path":"/a.txt"}']] });
const goodText = replyWith({
  content: '<tool_call>\n{"name": "read_file", "arguments": {"path": "/a.txt"}}\n</tool_call>',
});
/** Hangs up without an answer. */
const disconnects: Behavior = (response) => void response.destroy();
const goodCall = [{ name: 'read_file', arguments: '{"path":"/a.txt"}' }];

describe.each([false, true])('stream: %s', (streams) => {
  it.each([
    [
      'a missing required argument',
      ['read_file', '{"lines":3}'],
      '{"lines":3}',
      /"read_file" was not run: arguments\.path: wanted a value \(string\), got nothing\./,
    ],
    [
      'a required argument of the wrong type',
      ['count_files', '{"count":"two"}'],
      '{"count":"two"}',
      /arguments\.count: wanted integer, got "two"\./,
    ],
    [
      'unreadable arguments',
      ['read_file', 'the file is /a.txt, of course, and then some more'],
      '{}',
      /Wanted: one JSON object\. Got: `the file is \/a\.txt[\s\S]*What you wrote: the file is/,
    ],
    ['no arguments', ['read_file', ''], '{}', /it came without arguments/],
    [
      'an unknown name',
      ['raed_file', '{"path":"/a.txt"}'],
      '{"path":"/a.txt"}',
      /no tool is called "raed_file"\. Tools on offer: read_file, count_files\./,
    ],
  ] as const)(
    'D-35 native: %s is corrected by a second request that has the call and an error as its result',
    async (_, made, past, errorPattern) => {
      upstream.behave(replyWith({ calls: [made] }), good);
      const answer = await answerOf(await ask({ stream: streams }));
      expect(answer).toMatchObject({ ids: 1, finish_reason: 'tool_calls', calls: goodCall });
      const [first, second] = bodies();
      expect(bodies()).toHaveLength(2);
      const { messages: sent, ...rest } = first as Body;
      expect(second).toMatchObject(rest);
      expect(second?.messages.slice(0, sent.length)).toEqual(sent);
      const [assistant, result, ...more] = (second as Body).messages.slice(sent.length);
      expect(more).toEqual([]);
      expect(assistant).toMatchObject({
        role: 'assistant',
        tool_calls: [{ type: 'function', function: { name: made[0], arguments: past } }],
      });
      expect(result).toMatchObject({ role: 'tool', tool_call_id: assistant.tool_calls[0].id });
      expect(result.content).toMatch(errorPattern);
      expect(result.content).toMatch(/Write the call again, complete\.$/);
      expect(result.content.includes(schema)).toBe(made[0] === 'read_file');
    },
  );

  it('D-35 prompt: the raw response and an error in the dialect’s result form are appended; the prefix keeps its bytes', async () => {
    const modelText = 'I look.\n<tool_call>\n{"name": "read_file", "arguments": {"lines": 3}}\n</tool_call>';
    upstream.behave(replyWith({ content: modelText }), goodText);
    const answer = await answerOf(await ask({ model: 'prompt', stream: streams }));
    expect(answer).toMatchObject({ finish_reason: 'tool_calls', calls: [{ name: 'read_file' }] });
    const [first, second] = upstream.received;
    const head = first?.text.slice(0, first.text.indexOf(']', first.text.indexOf('Read /a.txt')));
    expect(second?.text.startsWith(head as string)).toBe(true);
    expect(second?.body.messages).toEqual([
      ...((first as ReceivedRequest).body.messages as unknown[]),
      { role: 'assistant', content: modelText },
      {
        role: 'user',
        content: expect.stringMatching(/^<tool_response>\n[\s\S]*arguments\.path: wanted[\s\S]*\n<\/tool_response>$/),
      },
    ]);
  });

  it('D-35 if the second response is no better the first one is delivered', async () => {
    upstream.behave(replyWith({ calls: [['read_file', '{"lines":3}']] }));
    const answer = await answerOf(await ask({ stream: streams }));
    expect(answer).toMatchObject({
      finish_reason: 'tool_calls',
      calls: [{ name: 'read_file', arguments: '{"lines":3}' }],
    });
    expect(bodies()).toHaveLength(2);
    const [turn] = proxy.recorder.turns;
    expect(turn).toMatchObject({ outcome: 'invalid', attempts: 2 });
  });

  it('D-35 if the server fails at the second request the first response is delivered', async () => {
    upstream.behave(
      replyWith({ content: 'So.', calls: [['read_file', '{"lines":3}']] }),
      json(500, { error: { message: 'boom' } }),
    );
    const answer = await answerOf(
      await ask({ stream: streams, stream_options: streams ? { include_usage: true } : undefined }),
    );
    expect(answer).toMatchObject({
      content: 'So.',
      finish_reason: 'tool_calls',
      calls: [{ arguments: '{"lines":3}' }],
      usage,
    });
  });

  it('D-35 an empty response is sampled again, with other bytes and the same messages', async () => {
    upstream.behave(replyWith({}), good);
    expect(await answerOf(await ask({ stream: streams }))).toMatchObject({
      calls: goodCall,
      finish_reason: 'tool_calls',
    });
    const [first, second] = bodies();
    expect(second?.messages).toEqual(first?.messages);
    expect(upstream.received[1]?.text).not.toBe(upstream.received[0]?.text);
  });

  it.each([
    ['a call that was cut', replyWith({ calls: [['read_file', '{"path":"/a']], finish: 'length' })],
    ['a filtered answer', replyWith({ calls: [['read_file', '{"lines":1}']], finish: 'content_filter' })],
    [
      'a usable call beside another',
      replyWith({
        calls: [
          ['read_file', '{"lines":1}'],
          ['read_file', '{"path":"/b"}'],
        ],
      }),
    ],
    ['an optional argument that is wrong', replyWith({ calls: [['read_file', '{"path":"/b","lines":{}}']] })],
    ['a faultless call', good],
    ['a plain answer', replyWith({ content: 'Here it is.' })],
  ])('D-35 %s is not corrected', async (_, behaviour) => {
    upstream.behave(behaviour);
    await answerOf(await ask({ stream: streams }));
    expect(bodies()).toHaveLength(1);
  });

  it('D-35 nothing is corrected if the setting is 0, if several choices are requested, or if no tools are offered', async () => {
    upstream.behave(replyWith({ calls: [['read_file', '{"lines":1}']] }));
    await answerOf(await ask({ stream: streams, n: 2 }));
    expect(bodies()).toHaveLength(1);
    await answerOf(await ask({ stream: streams, tool_choice: 'none' }));
    await answerOf(await ask({ stream: streams, tools: undefined }));
    expect(bodies()).toHaveLength(3);
    proxy.snapshot.change('native', { maxCorrections: { value: 0, source: 'declared' } });
    await answerOf(await ask({ stream: streams }));
    expect(bodies()).toHaveLength(4);
  });

  it('H-7 D-35 up to three attempts are made if the setting allows it, each with the previous ones', async () => {
    proxy.snapshot.change('native', { maxCorrections: { value: 3, source: 'declared' } });
    const bad = replyWith({ calls: [['read_file', '{"lines":1}']] });
    upstream.behave(bad, bad, bad, good);
    expect(await answerOf(await ask({ stream: streams }))).toMatchObject({ calls: goodCall });
    expect(bodies().map(({ messages: sent }) => sent.length)).toEqual([1, 3, 5, 7]);
    const ids = bodies()[3]
      ?.messages.flatMap((message: Body) => message.tool_calls ?? [])
      .map(({ id }: Body) => id);
    expect(new Set(ids).size).toBe(3);
  });
});

const inReasoning =
  '<think>I look.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "/a.txt"}}\n</tool_call></think>';

describe.each([false, true])('stream: %s', (streams) => {
  it('D-45 a response with a call only in its closed reasoning is sampled again, then the model is told where the call was', async () => {
    proxy.snapshot.change('native', { maxCorrections: { value: 2, source: 'declared' } });
    upstream.behave(replyWith({ content: inReasoning }), replyWith({ content: inReasoning }), good);
    expect(await answerOf(await ask({ stream: streams }))).toMatchObject({ calls: goodCall });
    const [first, second, third] = bodies();
    expect(second?.messages).toEqual(first?.messages);
    expect(third?.messages.at(-1).content).toMatch(/^The call stood in your reasoning/);
    expect(proxy.recorder.turns[0]).toMatchObject({
      corrected: true,
      classes: ['CallInReasoning'],
      outcome: 'repaired',
    });
  });

  it('D-45 the call is not run, and is recorded, if corrections are off', async () => {
    proxy.snapshot.change('native', { maxCorrections: { value: 0, source: 'declared' } });
    upstream.behave(replyWith({ content: inReasoning }));
    expect(await answerOf(await ask({ stream: streams }))).toMatchObject({ calls: [], finish_reason: 'stop' });
    expect(proxy.recorder.turns[0]).toMatchObject({ outcome: 'none', classes: ['CallInReasoning'] });
  });

  it('D-45 the call is used if the model’s setting allows it', async () => {
    proxy.snapshot.change('native', { promoteReasoningCalls: { value: true, source: 'declared' } });
    upstream.behave(replyWith({ content: inReasoning }));
    const [{ arguments: json }] = (await answerOf(await ask({ stream: streams }))).calls;
    expect(JSON.parse(json)).toEqual({ path: '/a.txt' });
    expect(bodies()).toHaveLength(1);
    expect(proxy.recorder.turns[0]).toMatchObject({ outcome: 'repaired', classes: ['LeakedCall', 'CallInReasoning'] });
  });
});

const behindResult = {
  messages: [
    ...messages,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"/a.txt"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'see /b.txt' },
  ],
};
const announcing = replyWith({ content: 'Now I read the other file:' });

describe.each([false, true])('an announced call, stream: %s', (streams) => {
  it('is recorded and not corrected', async () => {
    upstream.behave(announcing);
    await answerOf(await ask({ ...behindResult, stream: streams }));
    expect(bodies()).toHaveLength(1);
    expect(proxy.recorder.turns[0]).toMatchObject({ outcome: 'none', classes: ['AnnouncedNotCalled'] });
  });

  it('is corrected once if the model’s setting allows it', async () => {
    proxy.snapshot.change('native', {
      nudgeAnnounced: { value: true, source: 'declared' },
      maxCorrections: { value: 3, source: 'declared' },
    });
    upstream.behave(announcing, good);
    expect(await answerOf(await ask({ ...behindResult, stream: streams }))).toMatchObject({ calls: goodCall });
    expect(appended()).toEqual([
      { role: 'assistant', content: 'Now I read the other file:' },
      { role: 'user', content: expect.stringMatching(/Make the call now, or say that it was not done\.$/) },
    ]);
    expect(proxy.recorder.turns[0]).toMatchObject({ corrected: true, classes: ['AnnouncedNotCalled'] });
    upstream.behave(announcing);
    await answerOf(await ask({ ...behindResult, stream: streams }));
    expect(bodies()).toHaveLength(2);
  });

  it('that is repeated is delivered as it is, also if the second response is empty', async () => {
    proxy.snapshot.change('native', { nudgeAnnounced: { value: true, source: 'declared' } });
    upstream.behave(announcing, replyWith({}));
    const answer = await answerOf(await ask({ ...behindResult, stream: streams }));
    expect(answer).toMatchObject({ content: 'Now I read the other file:', calls: [], finish_reason: 'stop' });
  });
});

const unreadByEngine = 'The model produced output that does not match the expected peg-native format';
const engineError = `data: ${JSON.stringify({ error: { message: unreadByEngine, type: 'server_error', code: 500 } })}\n\n`;

describe('D-35 an engine whose own parser fails after its output began', () => {
  it.each([
    ['text', { content: 'I read it.' }, { content: 'I read it.', reasoning: '' }],
    ['reasoning', { reasoning_content: 'Hm. ' }, { content: '', reasoning: 'Hm. ' }],
  ])('is corrected if only %s was sent, and its calls are used', async (_, delta, out) => {
    upstream.behave(stream(role, chunk(delta), engineError), good);
    const answer = await answerOf(await ask({ stream: true }));
    expect(answer).toMatchObject({ ids: 1, finish_reason: 'tool_calls', calls: goodCall, ...out });
    expect(answer.error).toBeUndefined();
    expect(bodies()).toHaveLength(2);
    expect(appended()).toMatchObject([
      { role: 'assistant', content: out.content },
      { role: 'user', content: expect.stringMatching(/could not be read[\s\S]*Write the call again, complete\.$/) },
    ]);
    expect(proxy.recorder.turns[0]).toMatchObject({ corrected: true, classes: ['EngineRejected'], attempts: 2 });
    expect(proxy.proxy.breaker.openModels()).toEqual([]);
  });

  it('ends with its error if a byte of a call was sent, if the second request fails, and if corrections are off', async () => {
    const long = JSON.stringify({ lines: 3, other: 'x'.repeat(4000) });
    upstream.behave(stream(role, call(0, 'read_file', long.slice(0, 3000)), engineError), good);
    expect(await answerOf(await ask({ stream: true }))).toMatchObject({ error: { message: expect.any(String) } });
    expect(bodies()).toHaveLength(1);
    const half = stream(role, text('Half'), engineError);
    upstream.behave(half);
    expect(await answerOf(await ask({ stream: true }))).toMatchObject({ content: 'Half', error: expect.anything() });
    expect(bodies()).toHaveLength(2);
    proxy.snapshot.change('native', { maxCorrections: { value: 0, source: 'declared' } });
    upstream.behave(half);
    expect(await answerOf(await ask({ stream: true }))).toMatchObject({ content: 'Half', error: expect.anything() });
    expect(bodies()).toHaveLength(1);
  });
});

describe('D-38 the breaker counts second requests', () => {
  const bad = replyWith({ calls: [['read_file', '{"lines":3}']] });
  const fiveTimes = async (second: Behavior): Promise<string[]> => {
    for (let at = 0; at < 5; at++) {
      upstream.behave(bad, second);
      expect(await answerOf(await ask({}))).toMatchObject({ calls: [{ arguments: '{"lines":3}' }] });
    }
    return [...proxy.proxy.breaker.openUpstreams(), ...proxy.proxy.breaker.openModels().map(({ model }) => model)];
  };

  it('if the server is unreachable', async () => {
    expect(await fiveTimes(disconnects)).toHaveLength(1);
  });

  it('not if only they are refused', async () => {
    expect(await fiveTimes(json(500, { error: { message: 'boom' } }))).toEqual([]);
  });
});

it.each([false, true])(
  'D-35 an empty response that cannot be sampled with other bytes is followed by an explanation, stream: %s',
  async (streams) => {
    proxy.snapshot.change('native', { api: { value: 'responses', source: 'declared' } });
    const completed = (output: object[]) => ({
      id: 'r',
      object: 'response',
      status: 'completed',
      model: 'm',
      output,
      usage: null,
    });
    const sse = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
    const replies = [[], [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Here.' }] }]];
    upstream.behave(
      ...replies.map(
        (output): Behavior =>
          (response, received) =>
            received.body.stream
              ? stream(
                  ...output.map(() => sse({ type: 'response.output_text.delta', output_index: 0, delta: 'Here.' })),
                  sse({ type: 'response.completed', response: completed(output) }),
                )(response, received)
              : json(200, completed(output))(response, received),
      ),
    );
    expect(await answerOf(await ask({ stream: streams }))).toMatchObject({ content: 'Here.' });
    const responsesRequests = upstream.received.filter(({ url }) => url.endsWith('/responses'));
    expect(responsesRequests).toHaveLength(2);
    expect(responsesRequests[1]?.text).not.toBe(responsesRequests[0]?.text);
    expect(JSON.stringify(responsesRequests[1]?.body.input)).toContain('Your answer was empty.');
  },
);

it.each([
  ['qwen3-coder-xml', '<tool_call>\n<function=read_file>\nnonsense\n</function>\n</tool_call>'],
  ['hermes', '<tool_call>\n{"name": "read_file", "arguments": {"lines": 3}, "x": }}'],
])('D-35 prompt: if a call of %s has no end, its error is not in the form of a result', async (dialect, modelText) => {
  proxy.snapshot.change('prompt', { dialect: { value: dialect, source: 'declared' } });
  upstream.behave(replyWith({ content: modelText }), goodText);
  expect(await answerOf(await ask({ model: 'prompt' }))).toMatchObject({ calls: [{ name: 'read_file' }] });
  const [assistant, user] = appended();
  expect(assistant).toEqual({ role: 'assistant', content: modelText });
  expect(user).toEqual({ role: 'user', content: expect.stringMatching(/^The call of "read_file" was not run:/) });
});

it('H-8 a correction that is constrained to its tool is recorded as strict', async () => {
  const [route] = proxy.snapshot.model('prompt')?.routes ?? [];
  const held = { ...route, upstream: { ...route?.upstream, kind: 'llamacpp', engineVersion: 'b9000' } } as typeof route;
  proxy.snapshot.change('prompt', {
    routes: [{ ...held, constraints: { grammar: true } } as NonNullable<typeof route>],
  });
  const bad = replyWith({ content: '<tool_call>\n{"name": "read_file", "arguments": {"lines": 3}}\n</tool_call>' });
  upstream.behave(bad, goodText);
  await answerOf(await ask({ model: 'prompt' }));
  expect(bodies().map((body) => 'grammar' in body)).toEqual([false, true]);
  expect(proxy.recorder.turns[0]).toMatchObject({ strategyUsed: 'strict', corrected: true });
  upstream.behave(bad, json(500, {}));
  await answerOf(await ask({ model: 'prompt' }));
  expect(proxy.recorder.turns[1]).toMatchObject({ strategyUsed: 'prompt' });
});

it('D-35 ids of a correction have the form that the dialect’s template accepts', async () => {
  upstream.behave(replyWith({ calls: [['read_file', '{"lines":3}']] }), good);
  await answerOf(await ask({ model: 'mistral' }));
  const [assistant, result] = appended();
  expect(assistant?.tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(result?.tool_call_id).toBe(assistant?.tool_calls[0].id);
});

it('D-35 in a stream what was sent stays: text, then the calls of the second response', async () => {
  upstream.behave(
    replyWith({ reasoning: 'Hm.', content: 'I read it.', calls: [['read_file', '{"lines":3}']] }),
    replyWith({ reasoning: 'Ah.', content: 'Once more.', calls: [['read_file', '{"path":"/a.txt"}']] }),
  );
  const answer = await answerOf(await ask({ stream: true, stream_options: { include_usage: true } }));
  expect(answer).toMatchObject({ ids: 1, content: 'I read it.', reasoning: 'Hm.', calls: goodCall, ended: true });
});

it('D-35 in a stream the text of a second response without calls follows the first one’s', async () => {
  upstream.behave(
    replyWith({ content: 'I read it.', calls: [['read_file', '{"lines":3}']] }),
    replyWith({ content: 'I cannot.' }),
  );
  const answer = await answerOf(await ask({ stream: true }));
  expect(answer).toMatchObject({ content: 'I read it.\n\nI cannot.', calls: [], finish_reason: 'stop' });
});

it('D-35 in a stream reasoning continues', async () => {
  upstream.behave(
    replyWith({ reasoning: 'Hm. ', calls: [['read_file', '{"lines":3}']] }),
    replyWith({ reasoning: 'Ah.', content: 'I read it.', calls: [['read_file', '{"path":"/a.txt"}']] }),
  );
  const answer = await answerOf(await ask({ stream: true }));
  expect(answer).toMatchObject({ reasoning: 'Hm. Ah.', content: 'I read it.', calls: goodCall });
});

it('D-35 a call of which a byte was sent is not corrected', async () => {
  const long = JSON.stringify({ lines: 3, other: 'x'.repeat(4000) });
  upstream.behave(
    stream(
      role,
      call(0, 'read_file', long.slice(0, 2000)),
      call(0, undefined, long.slice(2000)),
      chunk({}, 'tool_calls'),
      done,
    ),
  );
  expect(await answerOf(await ask({ stream: true }))).toMatchObject({ calls: [{ arguments: long }] });
  expect(bodies()).toHaveLength(1);
});

it('D-44 the client gets the usage of the delivered attempt', async () => {
  upstream.behave(
    replyWith({ calls: [['read_file', '{"lines":3}']] }),
    replyWith({ calls: [['read_file', '{"path":"/a.txt"}']], usage: { prompt_tokens: 30 } }),
  );
  expect((await answerOf(await ask({}))).usage).toMatchObject({ prompt_tokens: 30, completion_tokens: 5 });
});

it('D-44 the record has the tokens of all attempts, the corrected call and the content of each', async () => {
  upstream.behave(
    replyWith({ content: 'So.', calls: [['read_file', '{"lines":3}']] }),
    replyWith({ calls: [['read_file', '{"path":"/a.txt"}']], usage: { prompt_tokens: 30 } }),
  );
  await answerOf(await ask({}));
  const [turn] = proxy.recorder.turns;
  expect(turn).toMatchObject({
    outcome: 'repaired',
    corrected: true,
    classes: ['SchemaMismatch'],
    inputTokens: 40,
    outputTokens: 10,
    correctionTokens: 15,
    attempts: 2,
    calls: [{ tool: 'read_file', outcome: 'repaired', action: 'corrected', classes: ['SchemaMismatch'] }],
  });
  const [first, second] = upstream.received.map(({ text: sent }) => sent);
  expect(turn?.body).toMatchObject({
    upstreamRequest: second,
    raw: [{ fragments: [{ arguments: '{"path":"/a.txt"}' }] }],
    tries: [
      {
        delivered: false,
        classes: ['SchemaMismatch'],
        messages: [],
        upstreamRequest: first,
        raw: [{ text: 'So.', fragments: [{ arguments: '{"lines":3}' }] }],
      },
      {
        delivered: true,
        classes: [],
        messages: [{ role: 'assistant' }, { role: 'tool' }],
        upstreamRequest: null,
        raw: [],
      },
    ],
    timeline: [
      { kind: 'attempt', name: 'native', problem: 'unusable' },
      { kind: 'correction', name: 'native', problem: null },
    ],
  });
  const metrics = await proxy.metrics.registry.metrics();
  expect(metrics).toContain('callsmith_corrections_total{model="native",class="SchemaMismatch",result="mended"} 1');
  expect(metrics).toContain('callsmith_correction_tokens_total{model="native"} 15');
});

it('D-44 if the first response is delivered after all, the other attempts count as the cost of the correction', async () => {
  upstream.behave(replyWith({ calls: [['read_file', '{"lines":3}']] }), replyWith({ usage: { prompt_tokens: 30 } }));
  expect((await answerOf(await ask({}))).usage).toMatchObject({ prompt_tokens: 10 });
  const [turn] = proxy.recorder.turns;
  expect(turn).toMatchObject({ outcome: 'invalid', corrected: false, inputTokens: 40, correctionTokens: 35 });
  expect(turn?.body?.tries?.map(({ delivered, classes }) => [delivered, classes])).toEqual([
    [true, ['SchemaMismatch']],
    [false, ['EmptyAnswer']],
  ]);
});

it('a valid call leaves nothing about corrections in the record', async () => {
  upstream.behave(good);
  await answerOf(await ask({}));
  const [turn] = proxy.recorder.turns;
  expect(turn).toMatchObject({ outcome: 'clean', corrected: false, correctionTokens: null });
  expect(turn?.body?.tries).toBeUndefined();
});

it('D-35 on /proxy a native call without arguments is corrected, and dropped if that does not help', async () => {
  upstream.behave(replyWith({ calls: [['read_file', '']] }), good);
  expect(await answerOf(await ask({}, '/proxy/chat/completions'))).toMatchObject({ calls: goodCall });
  upstream.behave(replyWith({ calls: [['read_file', '']] }));
  expect(await answerOf(await ask({}, '/proxy/chat/completions'))).toMatchObject({ calls: [], finish_reason: 'stop' });
  upstream.behave(
    replyWith({ content: '<tool_call>\n{"name": "read_file", "arguments": {"lines": 3}}\n</tool_call>' }),
  );
  await answerOf(await ask({ model: 'prompt' }, '/proxy/chat/completions'));
  expect(bodies()).toHaveLength(1);
});

it('D-35 a second request that hangs times out, and the first response is delivered', async () => {
  upstream.behave(replyWith({ calls: [['read_file', '{"lines":3}']] }), () => {});
  const startedAt = performance.now();
  expect(await answerOf(await ask({}))).toMatchObject({ calls: [{ arguments: '{"lines":3}' }] });
  expect(performance.now() - startedAt).toBeGreaterThan(900);
  await upstream.received[1]?.hungUp;
});

it('a client that disconnects aborts the second request', async () => {
  const client = new AbortController();
  let resolveSecond: (received: ReceivedRequest) => void;
  const second = new Promise<ReceivedRequest>((resolve) => {
    resolveSecond = resolve;
  });
  upstream.behave(replyWith({ reasoning: 'Hm.', calls: [['read_file', '{"lines":3}']] }), (_, received) =>
    resolveSecond(received),
  );
  const request = { model: 'native', messages, tools, stream: true };
  const left = postJson(proxy, '/v1/chat/completions', request, { signal: client.signal })
    .then((response) => response.text())
    .catch((error: Error) => error.name);
  const received = await second;
  client.abort();
  expect(await left).toBe('AbortError');
  await received.hungUp;
});

it('D-43 the tokens of a second request are reserved, without another request or stream; without budget there is none', async () => {
  const reservations: { tokens: number; requests: unknown; streams: unknown }[] = [];
  let room = 2;
  const limiter: ProxyParts['limiter'] = {
    ratesLeft: () => ({}),
    spent: async () => undefined,
    reserve: async (key, { tokens }) => {
      reservations.push({ tokens, requests: key.requestsPerMinute, streams: key.concurrentStreams });
      const refused = { ok: false, kind: 'tokens', limit: 1, resetsAt: undefined } as const;
      return room-- > 0 ? { ok: true, finish: ({ tokens: used }) => finished.push(used) } : refused;
    },
  };
  const finished: number[] = [];
  const limited = await startProxy([{ name: 'native', strategy: 'native', baseUrls: [upstream.baseUrl] }], { limiter });
  limited.snapshot.addKey(apiKey, { requestsPerMinute: 5, tokensPerMinute: 100_000n, concurrentStreams: 2 });
  const send = async (): Promise<Body> =>
    answerOf(await postJson(limited, '/v1/chat/completions', { model: 'native', messages, tools }));
  try {
    upstream.behave(replyWith({ calls: [['read_file', '{"lines":3}']] }), good);
    expect(await send()).toMatchObject({ calls: goodCall });
    expect(reservations.map(({ requests, streams }) => [requests, streams])).toEqual([
      [5, 2],
      [undefined, undefined],
    ]);
    expect(finished).toEqual([0, 30]);
    room = 1;
    upstream.behave(replyWith({ calls: [['read_file', '{"lines":3}']] }), good);
    expect(await send()).toMatchObject({ calls: [{ arguments: '{"lines":3}' }] });
    expect(bodies()).toHaveLength(1);
  } finally {
    await limited.close();
  }
});

describe.each([false, true])('a faultless model at its defaults, stream: %s', (streams) => {
  it.each([
    ['native', 'a call', good],
    ['native', 'text', replyWith({ reasoning: 'Hm.', content: 'Here it is.' })],
    ['prompt', 'a call', goodText],
  ])('%s, %s: one request, and not a byte more than with corrections off', async (model, _, behaviour) => {
    const once = async (): Promise<readonly [string[], string]> => {
      upstream.behave(behaviour);
      const reply = await ask({ ...behindResult, model, stream: streams });
      const responseText = (await reply.text()).replace(/call_\w+|chatcmpl-[\w-]+|"created":\d+/g, '');
      return [upstream.received.map(({ url, text: sent }) => `${url} ${sent}`), responseText];
    };
    const byDefault = await once();
    proxy.snapshot.change(model, { maxCorrections: { value: 0, source: 'declared' } });
    expect(byDefault).toEqual(await once());
    expect(byDefault[0]).toHaveLength(1);
    expect(proxy.recorder.turns[0]).toMatchObject({ attempts: 1, classes: [], corrected: false });
  });
});
