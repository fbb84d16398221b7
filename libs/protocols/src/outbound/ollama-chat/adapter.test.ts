import { lines, pipe, runSync } from '@callsmith/stream';
import type { Fault, JsonObject, UpstreamEvent } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { chatCompletions } from '../../inbound/chat-completions/adapter.ts';
import type { Target } from '../../outbound-adapter.ts';
import { ollamaChat as upstream } from './adapter.ts';

const limits = { maxDepth: 64, maxMessages: 1000, maxTools: 128 };
const target: Target = { upstream: 'home', kind: 'ollama', model: 'qwen3' };
const request = (body: JsonObject, more: Partial<Target> = {}) =>
  upstream.request(
    chatCompletions.parseRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body }, limits),
    {
      ...target,
      ...more,
    },
  );

/** The events of lines, split into chunks of `size`. */
function read(chunks: readonly JsonObject[], size = 1e9): { out: UpstreamEvent[]; fault: Fault | undefined } {
  const text = chunks.map((line) => `${JSON.stringify(line)}\n`).join('');
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return runSync(pipe(lines(), upstream.events()), pieces) as { out: UpstreamEvent[]; fault: Fault | undefined };
}

const chunkOf = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  model: 'qwen3',
  created_at: '2026-11-23T01:00:00.123456789Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...more,
});
const end = chunkOf({}, { done: true, done_reason: 'stop', prompt_eval_count: 12, eval_count: 5, total_duration: 1 });

it('a conversation with calls, results, reasoning and images as a request of this API', () => {
  const { body, path, atRoot, dropped } = request({
    stream: true,
    messages: [
      { role: 'developer', content: [{ type: 'text', text: 'Rules' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'hm',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look', arguments: '{"x":12345678901234567890}' } },
          { id: 'b', type: 'function', function: { name: 'go', arguments: 'north' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'gone' }] },
      { role: 'tool', tool_call_id: 'a', content: 'seen' },
    ],
    tools: [{ type: 'function', function: { name: 'look' } }],
  });
  expect({ path, atRoot, dropped }).toEqual({ path: '/api/chat', atRoot: true, dropped: [] });
  expect(body).toEqual({
    model: 'qwen3',
    stream: true,
    messages: [
      { role: 'system', content: 'Rules' },
      { role: 'user', content: 'Look', images: ['aGk='] },
      {
        role: 'assistant',
        content: '',
        thinking: 'hm',
        tool_calls: [
          { id: 'a', function: { index: 0, name: 'look', arguments: { x: expect.any(Number) } } },
          { id: 'b', function: { index: 1, name: 'go', arguments: { arguments: 'north' } } },
        ],
      },
      { role: 'tool', content: 'gone', tool_call_id: 'b', tool_name: 'go' },
      { role: 'tool', content: 'seen', tool_call_id: 'a', tool_name: 'look' },
    ],
    tools: [
      { type: 'function', function: { name: 'look', description: '', parameters: { type: 'object', properties: {} } } },
    ],
  });
});

it('parameters have their names of this API, and unsupported ones are reported', () => {
  const { body, dropped } = request({
    max_completion_tokens: 50,
    temperature: 0,
    top_p: 0.9,
    top_k: 20,
    seed: 7,
    stop: 'END',
    repetition_penalty: 1.1,
    keep_alive: '10m',
    reasoning_effort: 'high',
    options: { mirostat: 2, num_ctx: 512 },
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } },
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
    parallel_tool_calls: false,
    logit_bias: { 1: 2 },
    n: 2,
  });
  expect(body).toMatchObject({
    keep_alive: '10m',
    think: 'high',
    format: { type: 'object' },
    options: {
      num_predict: 50,
      temperature: 0,
      top_p: 0.9,
      top_k: 20,
      seed: 7,
      stop: ['END'],
      repeat_penalty: 1.1,
      mirostat: 2,
    },
    stream: false,
  });
  expect(new Set(dropped)).toEqual(new Set(['logit_bias', 'tool_choice', 'parallel_tool_calls', 'n', 'num_ctx']));
  for (const name of ['tool_choice', 'response_format', 'reasoning_effort', 'max_tokens'])
    expect(body).not.toHaveProperty(name);
});

it('num_ctx is sent only if an admin declared the context, and is then always the same', () => {
  expect(request({}).body).not.toHaveProperty('options');
  for (const body of [{}, { num_ctx: 99 }, { options: { num_ctx: 77, top_k: 1 } }])
    expect(request(body, { contextTokens: 32_768 }).body).toMatchObject({ options: { num_ctx: 32_768 } });
});

it.each([
  [{ reasoning_effort: 'none' }, false],
  [{ reasoning_effort: 'minimal' }, 'low'],
  [{ chat_template_kwargs: { enable_thinking: false } }, false],
  [{ think: true, reasoning_effort: 'low' }, true],
  [{}, undefined],
])('thinking is requested as %j', (body, think) => {
  expect(request(body).body.think).toBe(think);
});

it('thinking, text and calls, wherever the lines are split', () => {
  const chunks = [
    chunkOf({ thinking: 'h' }),
    chunkOf({ thinking: 'm' }),
    chunkOf({ content: 'né🙂' }),
    chunkOf({ tool_calls: [{ id: 'call_1', function: { index: 0, name: 'look', arguments: { a: 1 } } }] }),
    chunkOf({ tool_calls: [{ function: { name: 'go', arguments: {} } }] }),
    end,
  ];
  const whole = read(chunks);
  expect(whole.fault).toBeUndefined();
  expect(whole.out).toEqual([
    { type: 'turn-start', choice: 0, id: '', model: 'qwen3', createdAt: 1_795_395_600 },
    { type: 'reasoning-delta', choice: 0, text: 'h' },
    { type: 'reasoning-delta', choice: 0, text: 'm' },
    { type: 'text-delta', choice: 0, text: 'né🙂' },
    { type: 'call-fragment', choice: 0, index: 0, id: 'call_1', name: 'look', arguments: { a: 1 } },
    { type: 'call-fragment', choice: 0, index: 1, name: 'go', arguments: {} },
    {
      type: 'usage',
      choice: 0,
      inputTokens: 12,
      outputTokens: 5,
      source: 'upstream',
      upstream: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    },
    { type: 'turn-end', choice: 0, reason: 'tool_calls' },
  ]);
  for (const size of [1, 3, 7, 100]) expect(read(chunks, size)).toEqual(whole);
});

it('a whole response is parsed as its lines would be', () => {
  const message = {
    role: 'assistant',
    content: 'text',
    thinking: 'hm',
    tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }],
  };
  const events = upstream.toEvents({ ...end, message });
  expect(events).toEqual(
    read([chunkOf({ thinking: 'hm' }), chunkOf({ content: 'text' }), chunkOf({ tool_calls: message.tool_calls }), end])
      .out,
  );
});

it.each([
  [[chunkOf({ content: 'a' })], 'ended its stream without a last line'],
  [[], 'ended its stream without a last line'],
  [[chunkOf({ content: 'a' }), { error: 'unexpected EOF' }], 'unexpected EOF'],
])('a stream that breaks off is a fault', (chunks, message) => {
  expect(read(chunks).fault?.message).toContain(message);
});

it('an end at the token limit is reported as one; a line that is no object is refused', () => {
  expect(read([chunkOf({ content: 'a' }), { ...end, done_reason: 'length' }]).out.at(-1)).toMatchObject({
    reason: 'length',
  });
  expect(runSync(upstream.events(), ['[1]']).fault?.code).toBe('upstream_invalid_answer');
  expect(() => upstream.toEvents({ done: true })).toThrow('without `message`');
  expect(() => upstream.toEvents({ error: 'model failed to load' })).toThrow('model failed to load');
});
