import { inferenceSchemas } from '@callsmith/contracts/inference';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { Heartbeat } from '../response/heartbeat.ts';
import { apiKey, postJson, testProxy } from './test-proxy.ts';
import {
  type Behavior,
  call,
  chunk,
  done,
  json,
  open,
  role,
  stop,
  stream,
  testUpstream,
  text,
} from './test-upstream.ts';

// What the public compliance suite of Open Responses asks (`.ci/openresponses`), and what its schema says beyond that.

const upstream = await testUpstream();
const baseUrls = [upstream.baseUrl];
const proxy = await testProxy(
  [
    { name: 'native', strategy: 'native', baseUrls },
    { name: 'prompt', strategy: 'prompt', dialect: 'hermes', baseUrls },
  ],
  { heartbeat: new Heartbeat(100, 60_000) },
);

const { Response: response, ResponseEvent: responseEvent } = inferenceSchemas;

type Response = z.infer<typeof response>;
type Event = z.infer<typeof responseEvent>;

const post = (body: object, path = ''): Promise<globalThis.Response> => postJson(proxy, `/v1/responses${path}`, body);

async function whole(body: object): Promise<Response> {
  const reply = await post(body);
  const responseBody = await reply.json();
  expect(reply.status, JSON.stringify(responseBody)).toBe(200);
  return response.parse(responseBody);
}

async function streamed(body: object): Promise<{ events: Event[]; last: Response }> {
  const sse = await (await post({ ...body, stream: true })).text();
  expect(sse.endsWith('data: [DONE]\n\n')).toBe(true);
  const events = sse
    .split('\n\n')
    .slice(0, -2)
    .map((frame) => {
      const [, name, data = ''] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? [];
      const event = responseEvent.parse(JSON.parse(data));
      expect(event.type).toBe(name);
      return event;
    });
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
  const last = events.at(-1);
  if (last === undefined || !('response' in last)) throw new Error(`the stream ended with ${last?.type}`);
  return { events, last: last.response };
}

const counts = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

/** A server that says the same streamed and whole; `calls` are made natively. */
const replyWith =
  (content: string, { reasoning, calls = [] }: { reasoning?: string; calls?: [string, string][] } = {}): Behavior =>
  (reply, received) =>
    received.body.stream === true
      ? stream(
          role,
          ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
          ...(content.match(/[\s\S]{1,4}/gu) ?? []).map(text),
          ...calls.flatMap(([name, args], at) => [call(at, name, ''), call(at, undefined, args)]),
          calls.length > 0 ? chunk({}, 'tool_calls') : stop,
          `data: ${JSON.stringify({ id: 'u', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: counts })}\n\n`,
          done,
        )(reply, received)
      : json(200, {
          id: 'u',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [
            {
              index: 0,
              message: {
                role: 'assistant',
                content,
                ...(reasoning !== undefined && { reasoning_content: reasoning }),
                ...(calls.length > 0 && {
                  tool_calls: calls.map(([name, args], at) => ({
                    id: `u${at}`,
                    type: 'function',
                    function: { name, arguments: args },
                  })),
                }),
              },
              finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
            },
          ],
          usage: counts,
        })(reply, received);

const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a place.',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const user = (content: unknown) => ({ type: 'message', role: 'user', content });

describe.each(['native', 'prompt'])('Open Responses, %s', (model) => {
  it('a text response has every field', async () => {
    upstream.behave(replyWith('Hello to you'));
    const before = Math.floor(Date.now() / 1000);
    const answer = await whole({ model, input: [user('Say hello in three words.')] });
    expect(answer).toMatchObject({ status: 'completed', output: [{ type: 'message', status: 'completed' }] });
    expect(answer.completed_at).toBeGreaterThanOrEqual(before);
    expect(answer).toMatchObject({ top_p: 1, temperature: 1, presence_penalty: 0, frequency_penalty: 0 });
    expect(answer).toMatchObject({ top_logprobs: 0, service_tier: 'default', truncation: 'disabled' });
    expect(answer).toMatchObject({ safety_identifier: null, prompt_cache_key: null, metadata: {} });
  });

  it('a streamed response has every event, and ends with the whole response and [DONE]', async () => {
    upstream.behave(replyWith('1, 2, 3, 4, 5'));
    const { events, last } = await streamed({ model, input: [user('Count from 1 to 5.')] });
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ]),
    );
    expect(events.find(({ type }) => type === 'response.created')).toMatchObject({
      response: { status: 'in_progress', completed_at: null, output: [], usage: null },
    });
    expect(last).toMatchObject({ status: 'completed', usage: { total_tokens: 17 } });
    expect(last.completed_at).not.toBeNull();
  });

  it('a system message, an image and earlier turns are accepted', async () => {
    upstream.behave(replyWith('Arr.'));
    await whole({ model, input: [{ type: 'message', role: 'system', content: 'Be a pirate.' }, user('Hello')] });
    expect(upstream.received[0]?.body.messages).toMatchObject([{ role: 'system' }, { role: 'user', content: 'Hello' }]);
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
    await whole({ model, input: [user([{ type: 'input_text', text: 'What is it?' }, image])] });
    await whole({
      model,
      input: [user('I am Alice.'), { type: 'message', role: 'assistant', content: 'Hello Alice!' }, user('Who am I?')],
    });
    expect(upstream.received.at(-1)?.body.messages).toMatchObject([
      {},
      { role: 'assistant' },
      { content: 'Who am I?' },
    ]);
  });

  it('a tool is called, its definition is in the response with every field, and its result goes back', async () => {
    const args = '{"location":"San Francisco, CA"}';
    const toolCallText = `<tool_call>\n{"name": "get_weather", "arguments": ${args}}\n</tool_call>`;
    upstream.behave(
      model === 'native' ? replyWith('', { calls: [['get_weather', args]] }) : replyWith(toolCallText),
      replyWith('Sunny.'),
    );
    const first = await whole({ model, tools: [weather], input: [user('The weather in San Francisco?')] });
    expect(first.output).toMatchObject([{ type: 'function_call', name: 'get_weather', arguments: args }]);
    expect(first.tools).toEqual([{ ...weather, strict: null }]);
    const [made] = first.output;
    const second = await whole({
      model,
      tools: [weather],
      previous_response_id: first.id,
      input: [
        { type: 'function_call_output', call_id: made?.type === 'function_call' ? made.call_id : '', output: 'sun' },
      ],
    });
    expect(second).toMatchObject({ previous_response_id: first.id, output: [{ type: 'message' }] });
  });

  it('the request’s parameters are in the response', async () => {
    upstream.behave(replyWith('{}'));
    const requestParameters = {
      temperature: 0.2,
      top_p: 0.5,
      presence_penalty: 0.1,
      frequency_penalty: -0.1,
      service_tier: 'flex',
      safety_identifier: 'someone',
      prompt_cache_key: 'key',
      max_output_tokens: 50,
      max_tool_calls: 3,
      metadata: { a: 'b' },
      instructions: 'Be brief.',
      parallel_tool_calls: false,
      store: false,
      user: 'u',
    };
    const format = { type: 'json_schema', name: 'n', schema: { type: 'object' } };
    const answer = await whole({
      model,
      input: 'Hi',
      ...requestParameters,
      text: { format, verbosity: 'low' },
      reasoning: { effort: 'low' },
    });
    expect(answer).toMatchObject(requestParameters);
    expect(answer.text).toEqual({ format: { ...format, description: null, strict: false }, verbosity: 'low' });
    expect(answer.reasoning).toEqual({ effort: 'low', summary: null });
  });

  it('raw reasoning comes as reasoning text, streamed and whole', async () => {
    upstream.behave(replyWith('It is 4.', { reasoning: 'Two and two…' }));
    const { events, last } = await streamed({ model, input: 'Two and two?' });
    const item = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Two and two…' }] };
    expect(last.output).toMatchObject([item, { type: 'message' }]);
    expect(events.filter(({ type }) => type.startsWith('response.reasoning_text')).map(({ type }) => type)).toEqual([
      'response.reasoning_text.delta',
      'response.reasoning_text.done',
    ]);
    expect((await whole({ model, input: 'Two and two?' })).output).toMatchObject([item, { type: 'message' }]);
  });

  it('a response that was cut is incomplete, and so is its last item', async () => {
    upstream.behave((reply, received) =>
      received.body.stream === true
        ? stream(role, text('Once upon'), chunk({}, 'length'), done)(reply, received)
        : json(200, {
            id: 'u',
            choices: [{ index: 0, message: { role: 'assistant', content: 'Once upon' }, finish_reason: 'length' }],
          })(reply, received),
    );
    const cut = { status: 'incomplete', completed_at: null, output: [{ type: 'message', status: 'incomplete' }] };
    expect(await whole({ model, input: 'Tell me.' })).toMatchObject(cut);
    expect((await streamed({ model, input: 'Tell me.' })).last).toMatchObject(cut);
  });

  it('a stream that fails ends with response.failed', async () => {
    upstream.behave(stream(role, text('Once'), 'data: {"error":{"message":"out of memory","code":500}}\n\n'));
    const { last } = await streamed({ model, input: 'Tell me.' });
    expect(last).toMatchObject({ status: 'failed', completed_at: null, error: { message: expect.any(String) } });
  });
});

describe('a silent model', () => {
  const silent: Behavior = async (reply) => {
    const wait = () => new Promise((resolve) => setTimeout(resolve, 400));
    open(reply);
    reply.write(role);
    await wait();
    reply.write(text('Hel'));
    await wait();
    reply.end(text('lo') + stop + done);
  };

  it('decision 4: a prefixed event of the gateway keeps the stream alive, before the first output and in mid-stream', async () => {
    upstream.behave(silent);
    const { events, last } = await streamed({ model: 'native', input: 'Hi' });
    const types = events.map(({ type }) => type);
    const first = types.indexOf('callsmith:keepalive');
    expect(first).toBe(types.indexOf('response.in_progress') + 1);
    expect(types.lastIndexOf('callsmith:keepalive')).toBeGreaterThan(types.indexOf('response.output_text.delta'));
    expect(last).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hello' }] }] });
  });

  it('decision 4: the stream helper of OpenAI’s SDK, which fails on unknown events, gets one that it knows', async () => {
    upstream.behave(silent);
    const openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey, maxRetries: 0 });
    const helper = openai.responses.stream({ model: 'native', input: 'Hi' });
    const types: string[] = [];
    for await (const { type } of helper) types.push(type);
    expect(types).toContain('keepalive');
    expect((await helper.finalResponse()).output_text).toBe('Hello');
    const events = await openai.responses.create({ model: 'native', input: 'Hi', stream: true });
    const plain: string[] = [];
    for await (const { type } of events) plain.push(type);
    expect(plain).toContain('callsmith:keepalive');
    expect(plain.at(-1)).toBe('response.completed');
  });
});
