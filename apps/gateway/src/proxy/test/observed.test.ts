import { type Simulator, startSimulator } from '@callsmith/simulator';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObserverFactory } from '../observers/index.ts';
import { adminKey, apiKey, secretKey, startProxy, type TestModel, type TestProxy } from './test-proxy.ts';
import { call, done, json, open, role, startUpstream, stop, stream, type TestUpstream, text } from './test-upstream.ts';

let simulator: Simulator;
let upstream: TestUpstream;
let models: TestModel[];
let proxy: TestProxy;

beforeAll(async () => {
  simulator = await startSimulator();
  upstream = await startUpstream();
  const baseUrls = [`${simulator.url}/v1`];
  models = [
    { name: 'native', upstreamModel: 'sim-native', strategy: 'native', baseUrls },
    { name: 'leaky', upstreamModel: 'sim-leaky', strategy: 'native', dialect: 'hermes', baseUrls },
    { name: 'uncounted', upstreamModel: 'sim-native@faults=no-usage', strategy: 'native', baseUrls },
    {
      name: 'uncounted-elsewhere',
      upstreamModel: 'sim-native@faults=no-usage',
      kind: 'openai',
      upstream: { id: 'up_other' },
      strategy: 'native',
      baseUrls,
    },
    { name: 'scripted', baseUrls: [upstream.baseUrl] },
    { name: 'limited', baseUrls: [upstream.baseUrl] },
  ];
  proxy = await startProxy(models);
  proxy.snapshot.change('limited', { toolCallLimit: { value: 3, source: 'declared' } });
});

afterAll(async () => {
  await proxy.close();
  await Promise.all([simulator.close(), upstream.close()]);
});

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'read_file',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
];
const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
const ask = (more: object, to = proxy, path = '/v1/chat/completions') =>
  fetch(to.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Read the file hello.txt' }], ...more }),
  });
/** An answer without what differs from request to request. */
const withoutIds = (answer: string): string => answer.replace(/(?:call_|chatcmpl-)[0-9a-f]+|"created":\d+/g, '…');

it('observers change nothing: with, without and with throwing observers the bytes are equal', async () => {
  const throwing: ObserverFactory = () => ({
    attempt: () => ({
      payload: () => {
        throw new Error('payload');
      },
      upstreamEvent: () => {
        throw new Error('received');
      },
      turnEvent: () => {
        throw new Error('said');
      },
    }),
    done: () => {
      throw new Error('done');
    },
  });
  const unborn: ObserverFactory = () => {
    throw new Error('unborn');
  };
  const without = await startProxy(models, { observerFactories: [] });
  const broken = await startProxy(models, { observerFactories: [throwing, unborn] });
  for (const model of ['native', 'leaky'])
    for (const more of [{ model }, { model, tools }, { model, tools, stream: true }, { model, stream: true }]) {
      const answers = await Promise.all(
        [proxy, without, broken].map(async (to) => withoutIds(await (await ask(more, to)).text())),
      );
      expect(answers[1]).toBe(answers[0]);
      expect(answers[2]).toBe(answers[0]);
    }
  expect(broken.reportedErrors.length).toBeGreaterThan(0);
  await Promise.all([without.close(), broken.close()]);
});

it('security 20: keys in headers and bodies of refusals reach no row, no log and no metric', async () => {
  await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, authorization: 'Bearer sk-canary-12345678', cookie: 'canary=1', 'x-canary': 'canary' },
    body: '{}',
  });
  await ask({ model: 'native', tools });
  const metrics = await proxy.metrics.registry.metrics();
  const rows = JSON.stringify(proxy.recorder.turns);
  for (const secret of ['sk-canary', 'canary=1', 'x-canary', apiKey]) {
    expect(rows).not.toContain(secret);
    expect(metrics).not.toContain(secret);
  }
});

it('security 21: nothing from a request becomes a label', async () => {
  const canary = 'canary-of-labels';
  const tool = [{ type: 'function', function: { name: canary } }];
  const requests = [
    { model: canary, tools },
    { model: 'native', tools: tool, user: canary },
    { model: 'leaky', tools: tool },
  ];
  for (const more of requests)
    await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'user-agent': `${canary}/1.0`, 'x-title': canary },
      body: JSON.stringify({ messages: [{ role: 'user', content: canary }], ...more }),
    });
  const metrics = await proxy.metrics.registry.metrics();
  expect(metrics).not.toContain(canary);
  expect(metrics).toMatch(/callsmith_turns_total\{model="unknown",/);
});

it('M-8 counts findings and the actions taken', async () => {
  await ask({ model: 'leaky', tools });
  const metrics = await proxy.metrics.registry.metrics();
  expect(metrics).toMatch(/manager_tool_calls_malformed_total\{stage="\w+",reason="LeakedCall"\} [1-9]/);
  expect(metrics).toMatch(/manager_tool_calls_fallback_total\{stage="\w+",action="rescued"\} [1-9]/);
  expect(metrics).toMatch(
    /callsmith_turns_total\{model="leaky",strategy="native",client="other",outcome="repaired"\} [1-9]/,
  );
  expect(metrics).toMatch(/callsmith_added_seconds_count [1-9]/);
});

it('M-7 shows the model’s raw calls, newest first, and clears them', async () => {
  await ask({ model: 'leaky', tools });
  await (await ask({ model: 'native', tools, stream: true })).text();
  const get = async (query: string) => {
    const reply = await fetch(`${proxy.url}/proxy/debug/tool-calls${query}`, { headers: { 'x-admin-key': adminKey } });
    return (await reply.json()) as { items: { model: string; chunks: unknown[] }[]; count: number };
  };
  const { items } = await get('?limit=2');
  expect(items.map(({ model }) => model)).toEqual(['native', 'leaky']);
  expect(JSON.stringify(items[0]?.chunks)).toContain('read_file');
  expect((items[1]?.chunks ?? []).join('')).toContain('<tool_call>');
  await get('?clear=true');
  expect((await get('')).count).toBe(0);
});

describe('token counts', () => {
  const counted = async (model: string, streams: boolean) => {
    const openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey, maxRetries: 0 });
    const body = { model, tools, messages: [{ role: 'user' as const, content: 'Read the file hello.txt' }] };
    if (!streams) return (await openai.chat.completions.create(body)).usage;
    const stream = openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
    return (await stream.finalChatCompletion()).usage;
  };

  it.each([true, false])(
    'R-7 SC-006 are the upstream’s own, or by its tokenizer if it reported none (streaming: %s)',
    async (streams) => {
      const reportedUsage = await counted('native', streams);
      const found = await counted('uncounted', streams);
      expect(proxy.recorder.turns.at(-1)?.tokenSource).toBe('tokenizer');
      expect(found?.prompt_tokens).toBeGreaterThan((reportedUsage?.prompt_tokens ?? 0) * 0.9);
      expect(found?.prompt_tokens).toBeLessThan((reportedUsage?.prompt_tokens ?? 0) * 1.1);
    },
  );

  it('R-7 are estimated, and marked as such, without a tokenizer', async () => {
    const found = await counted('uncounted-elsewhere', false);
    expect(found?.total_tokens).toBeGreaterThan(10);
    expect(found).toMatchObject({ estimated: true });
    expect(proxy.recorder.turns.at(-1)?.tokenSource).toBe('estimated');
  });
});

describe('R-11 conversations', () => {
  const messagesWithCalls = (calls: number, result: (at: number) => string) => [
    { role: 'user', content: 'Go.' },
    ...Array.from({ length: calls }, (_, at) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: `call_${at}`, type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
        ],
      },
      { role: 'tool', tool_call_id: `call_${at}`, content: result(at) },
    ]).flat(),
  ];

  it('end at the limit of their model', async () => {
    upstream.behave(stream(role, text('Hi'), stop, done));
    expect((await ask({ model: 'limited', tools, stream: true, messages: messagesWithCalls(2, String) })).status).toBe(
      200,
    );
    const reply = await ask({ model: 'limited', tools, messages: messagesWithCalls(3, String) });
    expect([reply.status, ((await reply.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'tool_call_limit',
    ]);
  });

  it('end if the model repeats a call that gives no new result', async () => {
    upstream.behave(stream(role, text('Hi'), stop, done));
    expect(
      (await ask({ model: 'scripted', tools, stream: true, messages: messagesWithCalls(10, String) })).status,
    ).toBe(200);
    const reply = await ask({ model: 'scripted', tools, messages: messagesWithCalls(10, () => 'same') });
    expect([reply.status, ((await reply.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'repeated_tool_call',
    ]);
  });

  it('do not end if the same id is used for calls of several messages, with other results', async () => {
    upstream.behave(stream(role, text('Hi'), stop, done));
    const sameIds = JSON.parse(
      JSON.stringify(messagesWithCalls(12, String)).replace(/call_\d+/g, 'call_0'),
    ) as object[];
    expect((await ask({ model: 'scripted', tools, stream: true, messages: sameIds })).status).toBe(200);
  });

  it('end if the model repeats a cycle of several calls', async () => {
    const round = messagesWithCalls(20, () => 'same').map((message, at) =>
      at % 4 === 1 ? JSON.parse(JSON.stringify(message).replace('read_file', 'list_files')) : message,
    );
    const reply = await ask({ model: 'scripted', tools, messages: round });
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('list_files, read_file')]);
  });

  it('a turn without tools continues: it can make no call', async () => {
    upstream.behave(stream(role, text('A summary'), stop, done));
    expect((await ask({ model: 'limited', messages: messagesWithCalls(10, () => 'same') })).status).toBe(200);
  });

  it('the loop’s length is a setting, and loops may be allowed', async () => {
    const three = await startProxy(models, {
      config: { secretKey, conversations: { repeats: 3, excess: 'refuse' } },
    });
    const never = await startProxy(models, {
      config: { secretKey, conversations: { repeats: 0, excess: 'refuse' } },
    });
    upstream.behave(stream(role, text('Hi'), stop, done));
    const status = async (to: TestProxy, calls: number) =>
      (await ask({ model: 'scripted', tools, messages: messagesWithCalls(calls, () => 'same') }, to)).status;
    expect([await status(three, 2), await status(three, 3), await status(never, 50)]).toEqual([200, 400, 200]);
    await Promise.all([three.close(), never.close()]);
  });

  it('with nudging the model is told, the client gets a header, and the turn’s record says so', async () => {
    const nudging = await startProxy(models, {
      config: { secretKey, conversations: { repeats: 10, excess: 'nudge' } },
    });
    nudging.snapshot.change('limited', { toolCallLimit: { value: 3, source: 'declared' } });
    upstream.behave(stream(role, text('Enough.'), stop, done));
    const loop = await ask({ model: 'scripted', tools, messages: messagesWithCalls(10, () => 'same') }, nudging);
    expect([loop.status, loop.headers.get('x-callsmith-nudge')]).toEqual([200, 'repeated_tool_call']);
    const upstreamBody = upstream.received[0]?.body as {
      messages: { role: string; content: string }[];
      tool_choice?: string;
    };
    expect(upstreamBody.messages).toHaveLength(22);
    expect(upstreamBody.messages.at(-1)).toEqual({
      role: 'user',
      content: expect.stringContaining('read_file 10 times'),
    });
    expect(upstreamBody.tool_choice).toBeUndefined();
    expect(nudging.recorder.turns.at(-1)?.body?.notes).toContainEqual(
      expect.objectContaining({ stage: 'request', detail: 'nudged: repeated_tool_call' }),
    );

    upstream.behave(stream(role, call(0, 'read_file', '{"path":"a"}'), stop, done));
    const limit = await ask(
      { model: 'limited', tools, tool_choice: 'required', messages: messagesWithCalls(3, String) },
      nudging,
    );
    expect(limit.headers.get('x-callsmith-nudge')).toBe('tool_call_limit');
    expect(upstream.received[0]?.body.tool_choice).toBe('none');
    expect(await limit.text()).not.toContain('"tool_calls":[');
    await nudging.close();
  });
});

describe('a looping conversation', () => {
  const reads = (calls: number) =>
    Array.from({ length: calls }, (_, at) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: `call_${at}`,
            type: 'function',
            function: { name: 'read_file', arguments: `{"path": "${at % 2 ? 'a' : 'A '}"}` },
          },
        ],
      },
      { role: 'tool', tool_call_id: `call_${at}`, content: 'same' },
    ]).flat();
  const go = { role: 'user', content: 'Go.' };
  const pingPong = [
    go,
    ...[1, 2].flatMap((at) => [
      { role: 'assistant', content: `I would look at ${at}.` },
      { role: 'user', content: [{ type: 'text', text: '[ERROR] You did not use a tool in your previous response!' }] },
    ]),
  ];
  const findings = () => proxy.recorder.turns.at(-1)?.body?.notes.filter((note) => note.class === 'CallLoop');
  const answers = () => upstream.behave(stream(role, text('Hi'), stop, done));
  const sent = () => upstream.received[0]?.body.messages as { role: string; content: string }[];

  it('is recorded, and continues unchanged by default', async () => {
    answers();
    await (await ask({ model: 'scripted', tools, stream: true, messages: [go, ...reads(3)] })).text();
    expect(sent()).toHaveLength(7);
    expect(proxy.recorder.turns.at(-1)).toMatchObject({ classes: ['CallLoop'], outcome: 'none' });
    expect(findings()).toMatchObject([{ stage: 'request', detail: 'read_file 3 times in a row' }]);
    await (await ask({ model: 'scripted', tools, stream: true, messages: [go, ...reads(2)] })).text();
    expect(findings()).toEqual([]);
  });

  it('is mentioned to the model, and in a header, if its setting says so', async () => {
    proxy.snapshot.change('scripted', { nudgeLoops: { value: true, source: 'declared' } });
    try {
      answers();
      const loop = await ask({ model: 'scripted', tools, stream: true, messages: [go, ...reads(4)] });
      expect(loop.headers.get('x-callsmith-nudge')).toBe('repeated_tool_call');
      expect(sent()).toHaveLength(10);
      expect(sent().at(-1)).toEqual({ role: 'user', content: expect.stringContaining('read_file 4 times') });
      for (const offered of [tools, undefined]) {
        answers();
        const talk = await ask({ model: 'scripted', tools: offered, stream: true, messages: pingPong });
        await talk.text();
        expect(talk.headers.get('x-callsmith-nudge')).toBe('tool_call_required');
        expect(sent().at(-1)?.content).toContain('called no tool');
        expect(proxy.recorder.turns.at(-1)?.classes).toEqual(['CallLoop']);
      }
    } finally {
      proxy.snapshot.change('scripted', { nudgeLoops: { value: false, source: 'default' } });
    }
  });
});

describe('servers that answer in another form than requested', () => {
  const whole = {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  it.each([{}, { tools }])('a whole response to a streaming request becomes a stream %j', async (more) => {
    upstream.behave(json(200, whole));
    const sse = await (await ask({ model: 'scripted', stream: true, ...more })).text();
    expect(sse).toContain('chat.completion.chunk');
    expect(sse).toContain('"content":"whole"');
    expect(sse.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });
  it.each([{}, { tools }])('a stream to a non-streaming request becomes whole %j', async (more) => {
    upstream.behave(stream(role, text('who'), text('le'), stop, done));
    const reply = (await (await ask({ model: 'scripted', ...more })).json()) as typeof whole;
    expect(reply.choices[0]?.message.content).toBe('whole');
  });
  it('an engine’s error about a call in mid-stream belongs to that call’s turn', async () => {
    upstream.behave((response) => {
      open(response);
      const raw = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
      response.end(
        `${role}data: ${JSON.stringify({ error: `error parsing tool call: raw='<tool_call>${raw}</tool_call>', err=unexpected` })}\n\n`,
      );
    });
    const sse = await (await ask({ model: 'scripted', stream: true, tools })).text();
    expect(sse).toContain('"finish_reason":"tool_calls"');
    expect(proxy.recorder.turns.at(-1)).toMatchObject({
      outcome: 'repaired',
      classes: expect.arrayContaining(['EngineRejected']),
    });
  });
});

describe('APIs that are passed through', () => {
  it('/v1/embeddings is returned unchanged, with the model’s upstream name', async () => {
    const embeddings = {
      object: 'list',
      data: [{ embedding: [0.1] }],
      model: 'm',
      usage: { prompt_tokens: 3, total_tokens: 3 },
    };
    upstream.behave(json(200, embeddings));
    const reply = await ask({ model: 'scripted', input: 'word' }, proxy, '/v1/embeddings');
    expect(await reply.json()).toEqual(embeddings);
    expect(upstream.received[0]).toMatchObject({ url: '/v1/embeddings', body: { model: 'scripted', input: 'word' } });
    expect(proxy.recorder.turns.at(-1)).toMatchObject({ route: '/v1/embeddings', status: 200, inputTokens: 3 });
  });
  it('/v1/completions streams, and reports errors in OpenAI’s form', async () => {
    upstream.behave(stream('data: {"choices":[{"text":"a"}]}\n\n', done));
    expect(
      await (await ask({ model: 'scripted', prompt: 'x', stream: true }, proxy, '/v1/completions')).text(),
    ).toContain('"text":"a"');
    upstream.behave(json(400, { object: 'error', message: 'no prompt' }));
    const reply = await ask({ model: 'scripted', stream: true }, proxy, '/v1/completions');
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { error: { code: 'upstream_rejected', message: 'no prompt' } },
    ]);
  });
});

it('M-4 M-5 on /proxy a call is sent only when it is complete', async () => {
  const long = JSON.stringify({ path: 'x'.repeat(5000) });
  upstream.behave(
    stream(role, call(0, 'read_file', long.slice(0, 3000)), call(0, undefined, long.slice(3000)), stop, done),
  );
  const sse = await (await ask({ model: 'scripted', stream: true, tools }, proxy, '/proxy/chat/completions')).text();
  const parts = [...sse.matchAll(/"arguments":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, part]) => JSON.parse(`"${part}"`) as string,
  );
  expect(parts.join('')).toBe(long);
  expect(parts.filter((part) => part !== '')).toHaveLength(1);
});
