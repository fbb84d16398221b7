import Anthropic from '@anthropic-ai/sdk';
import { inferenceSchemas } from '@callsmith/contracts/inference';
import { type Content, type GenerateContentResponse, GoogleGenAI, type Part } from '@google/genai';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Body, replying } from './test-chat.ts';
import { apiKey, MemoryResponses, startProxy, type TestProxy } from './test-proxy.ts';
import { markedCall, TestTools } from './test-tools.ts';
import { type Behavior, testUpstream } from './test-upstream.ts';

const upstream = await testUpstream();
let proxy: TestProxy;
let tools: TestTools;
let openai: OpenAI;
let anthropic: Anthropic;

beforeEach(async () => {
  const run = () => ({ text: 'ran', isError: false });
  tools = new TestTools([{ name: 'odd__a_b_1a2b3c4d', server: 'odd', tool: 'a.b', run }]);
  tools.files.set('a.txt', 'a');
  proxy = await startProxy([{ name: 'm', strategy: 'prompt', dialect: 'hermes', baseUrls: [upstream.baseUrl] }], {
    tools,
    storedRounds: new MemoryResponses(),
  });
  openai = new OpenAI({ apiKey, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey, baseURL: proxy.url, maxRetries: 0 });
});
afterEach(() => proxy.close());

type Made = readonly [name: string, args: object];

/** Answers as a model does that only has its prompt; a stream sends its text in two pieces. */
const replyWith = (content: string, ...calls: readonly Made[]): Behavior => {
  const written = [content, ...calls.map(markedCall)].join('\n');
  const half = Math.floor(written.length / 2);
  return replying({ text: [written.slice(0, half), written.slice(half)] });
};

const list: Made = ['files__list', {}];
const read: Made = ['files__read', { path: 'a.txt' }];
const write: Made = ['files__write', { path: 'b.txt', content: 'A' }];
const input = 'Copy a.txt to b.txt in capitals.';
const files = { type: 'mcp', server_label: 'files', require_approval: 'never' } as const;
const ask = {
  type: 'function',
  name: 'ask_user',
  strict: false,
  parameters: { type: 'object', properties: {} },
} as const;

const sentText = (at: number): string => JSON.stringify(upstream.received[at]?.body.messages);
const shape = (output: readonly Body[]): unknown[] =>
  output.map((item) =>
    [item.type, item.name ?? item.content?.[0]?.text ?? item.server_label, item.status].filter((x) => x !== undefined),
  );

async function respond(body: Body, streams: boolean): Promise<Body> {
  const params = { model: 'm', ...body } as OpenAI.Responses.ResponseCreateParamsNonStreaming;
  if (!streams) return (await openai.responses.create(params)) as Body;
  const events: Body[] = [];
  for await (const event of await openai.responses.create({ ...params, stream: true })) {
    expect(inferenceSchemas.ResponseEvent.safeParse(event).error).toBeUndefined();
    events.push(event);
  }
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  const last = events.at(-1) as Body;
  // What the events said, item by item, is what the response says at its end.
  const finished = events.filter(({ type }) => type === 'response.output_item.done');
  expect(finished.sort((a, b) => a.output_index - b.output_index).map(({ item }) => item)).toEqual(
    last.response.output,
  );
  expect(events.filter(({ type }) => type === 'response.output_item.added')).toHaveLength(finished.length);
  return { ...last.response, types: [...new Set(events.map(({ type }) => type))] };
}

describe.each([false, true])('L-5 /v1/responses, stream: %s', (streams) => {
  it('a tool of type mcp names a server: its tools are listed, run and reported, over three rounds', async () => {
    upstream.behave(replyWith('I look.', list), replyWith('', read), replyWith('I write.', write), replyWith('Done.'));
    const response = await respond({ input, tools: [files] }, streams);
    expect(shape(response.output)).toEqual([
      ['mcp_list_tools', 'files'],
      ['message', 'I look.', 'completed'],
      ['mcp_call', 'list', 'completed'],
      ['mcp_call', 'read', 'completed'],
      ['message', 'I write.', 'completed'],
      ['mcp_call', 'write', 'completed'],
      ['message', 'Done.', 'completed'],
    ]);
    expect(response.output[0].tools.map(({ name }: Body) => name)).toEqual(['list', 'read', 'write']);
    expect(response.output[3]).toMatchObject({ arguments: '{"path":"a.txt"}', output: 'a', error: null });
    expect(response).toMatchObject({ status: 'completed', usage: { input_tokens: 40, output_tokens: 20 } });
    expect(tools.files.get('b.txt')).toBe('A');
    if (streams)
      expect(response.types).toEqual(
        expect.arrayContaining([
          'response.mcp_list_tools.in_progress',
          'response.mcp_list_tools.completed',
          'response.mcp_call.in_progress',
          'response.mcp_call_arguments.delta',
          'response.mcp_call_arguments.done',
          'response.mcp_call.completed',
        ]),
      );
    // The conversation goes on from all of it, by its id as by its items.
    upstream.behave(replyWith('Again.'));
    await respond({ input: 'And now?', tools: [files], previous_response_id: response.id }, streams);
    await respond(
      {
        input: [{ role: 'user', content: input }, ...response.output, { role: 'user', content: 'And now?' }],
        tools: [files],
      },
      streams,
    );
    for (const at of [0, 1])
      for (const part of ['I look.', 'files__read', 'written', 'Done.', 'And now?'])
        expect(sentText(at)).toContain(part);
  });

  it('a call waits for the client’s approval, and runs once', async () => {
    upstream.behave(replyWith('I would write.', write), replyWith('Done.'));
    const tool = { type: 'mcp', server_label: 'files' } as const;
    const first = await respond({ input, tools: [tool] }, streams);
    expect(shape(first.output).slice(1)).toEqual([
      ['message', 'I would write.', 'completed'],
      ['mcp_approval_request', 'write'],
    ]);
    expect(tools.called).toEqual([]);
    const request = first.output[2];
    expect(request).toMatchObject({ server_label: 'files', arguments: '{"path":"b.txt","content":"A"}' });
    const answer = { type: 'mcp_approval_response', approval_request_id: request.id, approve: true } as const;
    const second = await respond({ input: [answer], tools: [tool], previous_response_id: first.id }, streams);
    expect(second.output.slice(1)).toMatchObject([
      { type: 'mcp_call', name: 'write', output: 'written', approval_request_id: request.id },
      { type: 'message', content: [{ text: 'Done.' }] },
    ]);
    expect(tools.called).toHaveLength(1);
    expect(sentText(1)).toContain('written');
    // All items of both responses come back: what has run is not run again.
    const items = [
      { role: 'user', content: input },
      ...first.output,
      answer,
      ...second.output,
      { role: 'user', content: 'Thanks.' },
    ];
    await respond({ input: items, tools: [tool] }, streams);
    expect(tools.called).toHaveLength(1);
  });

  it('a tool with a name that models cannot call is approved and reported under its own name', async () => {
    upstream.behave(replyWith('', ['odd__a_b_1a2b3c4d', {}]), replyWith('Done.'));
    const tool = { type: 'mcp', server_label: 'odd' } as const;
    const first = await respond({ input, tools: [tool], store: false }, streams);
    const request = first.output.at(-1);
    expect(request).toMatchObject({ type: 'mcp_approval_request', name: 'a.b' });
    const answer = { type: 'mcp_approval_response', approval_request_id: request.id, approve: true } as const;
    const items = [{ role: 'user', content: input }, ...first.output, answer];
    const { output } = await respond({ input: items, tools: [tool] }, streams);
    expect(output[1]).toMatchObject({ type: 'mcp_call', name: 'a.b', output: 'ran' });
    expect(sentText(1)).toContain('odd__a_b_1a2b3c4d');
    expect(sentText(1)).not.toContain('odd__a.b');
  });

  it('a declined call does not run, and the model is informed', async () => {
    upstream.behave(replyWith('', write), replyWith('Then not.'));
    const tool = { type: 'mcp', server_label: 'files', require_approval: { never: { tool_names: ['read'] } } } as const;
    const first = await respond({ input, tools: [tool], store: false }, streams);
    const request = first.output.find(({ type }: Body) => type === 'mcp_approval_request');
    const declined = {
      type: 'mcp_approval_response',
      approval_request_id: request.id,
      approve: false,
      reason: 'not there',
    };
    const items = [{ role: 'user', content: input }, ...first.output, declined];
    expect(shape((await respond({ input: items, tools: [tool] }, streams)).output).at(-1)).toEqual([
      'message',
      'Then not.',
      'completed',
    ]);
    expect(tools.called).toEqual([]);
    expect(sentText(1)).toContain('declined this call');
    expect(sentText(1)).toContain('not there');
    upstream.behave(replyWith('', read), replyWith('Done.'));
    await respond({ input, tools: [tool] }, streams);
    expect(tools.called).toHaveLength(1);
  });

  it('in a mixed round the client’s own call is returned, and the whole round is there when its result comes', async () => {
    upstream.behave(replyWith('Both.', read, ['ask_user', {}]), replyWith('Done.'));
    const first = await respond({ input, tools: [files, ask] }, streams);
    const made = first.output.find(({ type }: Body) => type === 'function_call');
    expect(first.output.map(({ type }: Body) => type)).toEqual([
      'mcp_list_tools',
      'message',
      'mcp_call',
      'function_call',
    ]);
    const result = { type: 'function_call_output', call_id: made.call_id, output: 'user says yes' };
    await respond({ input: [result], tools: [files, ask], previous_response_id: first.id }, streams);
    await respond({ input: [{ role: 'user', content: input }, ...first.output, result], tools: [files, ask] }, streams);
    for (const at of [1, 2]) {
      expect(sentText(at)).toContain('user says yes');
      expect(sentText(at).split('files__read').length).toBe(sentText(1).split('files__read').length);
      expect(sentText(at).split('Both.').length).toBe(2);
    }
  });

  it('a failure is reported as an error', async () => {
    upstream.behave(replyWith('', ['files__read', { path: 'none' }]), replyWith('Done.'));
    const { output } = await respond({ input, tools: [files] }, streams);
    expect(output[1]).toMatchObject({ type: 'mcp_call', status: 'failed', error: 'no such file', output: null });
  });
});

describe('/v1/responses, what is refused', () => {
  it.each([
    [{ server_url: 'https://example.com/mcp' }, 'tools[0].server_url'],
    [{ connector_id: 'connector_dropbox' }, 'tools[0].connector_id'],
    [{ headers: { a: 'b' } }, 'tools[0].headers'],
    [{ authorization: 'secret' }, 'tools[0].authorization'],
    [{ server_label: 'other' }, 'tools[0].server_label'],
    [{ server_label: 1 }, 'tools[0].server_label'],
    [{ allowed_tools: 'read' }, 'tools[0].allowed_tools'],
    [{ require_approval: 'sometimes' }, 'tools[0].require_approval'],
  ])('%j by name', async (more, param) => {
    await expect(respond({ input, tools: [{ ...files, ...more }] }, false)).rejects.toMatchObject({
      status: 400,
      param,
    });
    expect(upstream.received.length === 0 || tools.called.length === 0).toBe(true);
  });

  it('servers, if agent mode is off', async () => {
    proxy.snapshot.change('m', { agent: { value: 'off', source: 'declared' } });
    await expect(respond({ input, tools: [files] }, false)).rejects.toMatchObject({
      status: 400,
      param: 'tools[0].type',
    });
  });

  it('max_tool_calls limits the calls that run', async () => {
    upstream.behave(replyWith('', list, read), replyWith('Done.'));
    const { output } = await respond({ input, tools: [files], max_tool_calls: 1 }, false);
    expect(output.slice(1)).toMatchObject([
      { type: 'mcp_call', name: 'list', status: 'completed' },
      { type: 'mcp_call', name: 'read', status: 'failed', error: expect.stringContaining('limit of calls') },
      { type: 'message' },
    ]);
    expect(tools.called).toHaveLength(1);
    expect(sentText(1)).toContain('No more tools');
    expect(proxy.recorder.turns[0]).toMatchObject({ agentLimit: 'calls', agentRounds: 2 });
  });

  it('tool_choice names a tool of a server, and its allowed_tools apply to servers’ tools too', async () => {
    upstream.behave(replyWith('', read), replyWith('Done.'));
    const choice = { type: 'mcp', server_label: 'files', name: 'read' };
    await respond({ input, tools: [files], tool_choice: choice }, false);
    expect(tools.called).toHaveLength(1);
    const narrow = (...allowed: object[]) => ({
      input,
      tools: [files, ask],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed },
    });
    upstream.behave(replyWith('Done.'));
    await respond(narrow({ type: 'function', name: 'ask_user' }), false);
    await respond(narrow({ type: 'mcp', server_label: 'files', name: 'read' }), false);
    await respond(narrow({ type: 'mcp', server_label: 'files' }), false);
    const all = ['ask_user', 'files__read', 'files__write'];
    const offered = [0, 1, 2].map((at) => all.filter((name) => sentText(at).includes(name)));
    expect(offered).toEqual([['ask_user'], ['files__read'], ['files__read', 'files__write']]);
  });

  it('allowed_tools narrows', async () => {
    upstream.behave(replyWith('Done.'));
    const { output } = await respond({ input, tools: [{ ...files, allowed_tools: ['read', 'more'] }] }, false);
    expect(output[0].tools.map(({ name }: Body) => name)).toEqual(['read']);
    expect(sentText(0)).not.toContain('files__write');
  });
});

describe.each([false, true])('L-5 /v1/messages, stream: %s', (streams) => {
  const send = async (more: object): Promise<Body> => {
    const body = { model: 'm', max_tokens: 1000, messages: [{ role: 'user' as const, content: input }], ...more };
    const options = { headers: { 'x-callsmith-agent': 'files' } };
    if (!streams) return (await anthropic.messages.create(body, options)) as Body;
    return (await anthropic.messages.stream(body, options).finalMessage()) as Body;
  };

  it('three rounds are one message, and the client’s own tool is called by the client', async () => {
    upstream.behave(
      replyWith('I look.', list),
      replyWith('I read.', read),
      replyWith('I write.', write),
      replyWith('Ask.', ['ask_user', {}], list),
      replyWith('Done.'),
    );
    const own = [{ name: 'ask_user', input_schema: { type: 'object' as const, properties: {} } }];
    const message = await send({ tools: own });
    expect(message).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 40, output_tokens: 20 } });
    expect(message.content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/^I look\.\s+I read\.\s+I write\.\s+Ask\.\s*$/) },
      { type: 'tool_use', name: 'ask_user' },
    ]);
    expect(tools.files.get('b.txt')).toBe('A');
    const next = await send({
      tools: own,
      messages: [
        { role: 'user', content: input },
        { role: 'assistant', content: message.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: message.content[1].id, content: 'yes' }] },
      ],
    });
    expect(next).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'Done.' }] });
    for (const part of ['I look.', 'files__write', 'written', 'yes']) expect(sentText(4)).toContain(part);
  });
});

describe.each([false, true])('L-5 /v1beta/models/…:generateContent, stream: %s', (streams) => {
  const send = async (contents: Content[], functions: object[] = []): Promise<Part[]> => {
    const google = new GoogleGenAI({
      apiKey,
      httpOptions: { baseUrl: proxy.url, headers: { 'x-callsmith-agent': 'files' } },
    });
    const question = { model: 'm', contents, config: { tools: [{ functionDeclarations: functions }] } };
    const parts: Part[] = [];
    const take = ({ candidates }: GenerateContentResponse) => parts.push(...(candidates?.[0]?.content?.parts ?? []));
    if (streams) for await (const chunk of await google.models.generateContentStream(question)) take(chunk);
    else take(await google.models.generateContent(question));
    return parts;
  };
  const textIn = (parts: readonly Part[]) => parts.map(({ text }) => text ?? '').join('');

  it('three rounds are one response, and the client’s own tool is called by the client, whatever prefix it adds to the id', async () => {
    upstream.behave(
      replyWith('I look.', list),
      replyWith('I read.', read),
      replyWith('I write.', write),
      replyWith('Ask.', ['ask_user', {}], list),
      replyWith('Done.'),
    );
    const own = [{ name: 'ask_user', parametersJsonSchema: { type: 'object', properties: {} } }];
    const userContent: Content = { role: 'user', parts: [{ text: input }] };
    const parts = await send([userContent], own);
    expect(textIn(parts)).toMatch(/^I look\.\s+I read\.\s+I write\.\s+Ask\.\s*$/);
    const call = parts.find(({ functionCall }) => functionCall)?.functionCall;
    expect(call?.name).toBe('ask_user');
    expect(tools.files.get('b.txt')).toBe('A');
    const id = `ask_user__${call?.id}`;
    const next = await send(
      [
        userContent,
        { role: 'model', parts: [{ text: textIn(parts) }, { functionCall: { id, name: 'ask_user', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id, name: 'ask_user', response: { output: 'yes' } } }] },
      ],
      own,
    );
    expect(textIn(next)).toBe('Done.');
    for (const part of ['I look.', 'files__write', 'written', 'yes']) expect(sentText(4)).toContain(part);
  });
});
