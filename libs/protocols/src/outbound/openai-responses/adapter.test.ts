import { runSync } from '@callsmith/stream';
import { Fault, type JsonObject, type JsonValue, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatCompletions } from '../../inbound/chat-completions/adapter.ts';
import { responses } from '../../inbound/responses/adapter.ts';
import type { Target } from '../../outbound-adapter.ts';
import { openaiResponses as upstream } from './adapter.ts';

const limits = { maxDepth: 64, maxMessages: 1000, maxTools: 128 };
const target: Target = { upstream: 'studio', kind: 'lmstudio', model: 'qwen' };
const read = (events: JsonObject[]): UpstreamEvent[] =>
  runSync(
    upstream.events(),
    events.map((event) => JSON.stringify(event)),
  ).out;
const faultOf = (payloads: string[]): Fault | undefined => runSync(upstream.events(), payloads).fault;
const done: JsonObject = {
  type: 'response.completed',
  response: {
    id: 'r',
    status: 'completed',
    usage: { input_tokens: 2, output_tokens: 3, input_tokens_details: { cached_tokens: 1 } },
  },
};

it('H-5: a chat turn as a request of this API', () => {
  const turn = chatCompletions.parseRequest(
    {
      model: 'm',
      stream: true,
      messages: [
        { role: 'developer', content: 'Rules' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'data:,' } },
          ],
        },
        {
          role: 'assistant',
          content: 'Ok',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1e400}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'done' }] },
      ],
      tools: [
        { type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object', properties: {} } } },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      max_tokens: 9,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } },
      stop: ['x'],
      temperature: 0,
    },
    limits,
  );
  expect(upstream.request(turn, target)).toEqual({
    path: '/responses',
    dropped: ['stop'],
    body: {
      model: 'qwen',
      input: [
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Rules' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', image_url: 'data:,' },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ok' }] },
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1e400}' },
        { type: 'function_call_output', call_id: 'a', output: 'done' },
      ],
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: true }],
      tool_choice: { type: 'function', name: 'f' },
      max_output_tokens: 9,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'n', schema: {} } },
      temperature: 0,
      stream: true,
      store: false,
    },
  });
});

it('past reasoning goes back as an item before its response, and to no server that would refuse it', () => {
  const turn = chatCompletions.parseRequest(
    {
      model: 'm',
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Let me look.',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'done' },
        { role: 'assistant', content: 'Ok', reasoning: 'It is done.' },
        { role: 'assistant', content: 'Plain', reasoning_content: '' },
      ],
    },
    limits,
  );
  const { input } = upstream.request(turn, target).body;
  expect(input).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Let me look.' }] },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'done' },
    { type: 'reasoning', id: 'rs_3', summary: [], content: [{ type: 'reasoning_text', text: 'It is done.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ok' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Plain' }] },
  ]);
  const again = responses.parseRequest({ model: 'm', input: input as JsonValue }, limits);
  expect(upstream.request(again, target).body.input).toEqual(input);
  expect(JSON.stringify(upstream.request(turn, { ...target, kind: 'openai' }).body)).not.toContain('reasoning');
});

it('a request of this API is unchanged', () => {
  const input = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ok' }] },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'done' },
  ];
  const turn = responses.parseRequest(
    { model: 'm', input, reasoning: { effort: 'high' }, text: { format: { type: 'json_object' }, verbosity: 'low' } },
    limits,
  );
  expect(upstream.request(turn, target).body).toMatchObject({
    input,
    reasoning: { effort: 'high' },
    text: { format: { type: 'json_object' }, verbosity: 'low' },
  });
});

describe('events', () => {
  it('gives text, reasoning, call fragments, usage and the end', () => {
    expect(
      read([
        { type: 'response.created', response: { id: 'r', model: 'qwen', created_at: 5, status: 'in_progress' } },
        { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs' } },
        { type: 'response.reasoning_text.delta', output_index: 0, delta: 'hm' },
        { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'hm again' },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }] },
        },
        { type: 'response.output_text.delta', output_index: 1, delta: 'Ok' },
        {
          type: 'response.output_item.done',
          output_index: 1,
          item: { type: 'message', content: [{ type: 'output_text', text: 'Ok' }] },
        },
        {
          type: 'response.output_item.added',
          output_index: 2,
          item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
        },
        { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{}' },
        {
          type: 'response.output_item.done',
          output_index: 2,
          item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        },
        done,
      ]),
    ).toEqual([
      { type: 'turn-start', choice: 0, id: 'r', model: 'qwen', createdAt: 5 },
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'text-delta', choice: 0, text: 'Ok' },
      { type: 'call-fragment', choice: 0, index: 0, id: 'c', name: 'f', arguments: '' },
      { type: 'call-fragment', choice: 0, index: 0, arguments: '{}' },
      {
        type: 'usage',
        choice: 0,
        inputTokens: 2,
        outputTokens: 3,
        cachedTokens: 1,
        source: 'upstream',
        upstream: (done.response as JsonObject).usage,
      },
      { type: 'turn-end', choice: 0, reason: 'stop' },
    ]);
  });

  it('parses items that came complete, with or without an announcement', () => {
    const events = read([
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'message', content: [{ type: 'output_text', text: 'Ok' }] },
      },
      {
        type: 'response.output_item.added',
        output_index: 1,
        item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
      },
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
      },
      {
        type: 'response.output_item.done',
        output_index: 2,
        item: { type: 'function_call', call_id: 'd', name: 'g', arguments: { b: 2 } },
      },
      done,
    ]);
    expect(
      events.filter((event) => event.type !== 'turn-start' && event.type !== 'usage' && event.type !== 'turn-end'),
    ).toEqual([
      { type: 'text-delta', choice: 0, text: 'Ok' },
      { type: 'call-fragment', choice: 0, index: 0, id: 'c', name: 'f', arguments: '' },
      { type: 'call-fragment', choice: 0, index: 0, arguments: '{"a":1}' },
      { type: 'call-fragment', choice: 0, index: 1, id: 'd', name: 'g', arguments: { b: 2 } },
    ]);
  });

  it('distinguishes an incomplete, a failed and a broken stream', () => {
    expect(
      read([
        {
          type: 'response.incomplete',
          response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
        },
      ]).at(-1),
    ).toMatchObject({ reason: 'length' });
    expect(
      read([
        {
          type: 'response.incomplete',
          response: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
        },
      ]).at(-1),
    ).toMatchObject({ reason: 'content_filter' });
    expect(
      faultOf([
        '{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"too long"}}}',
      ]),
    ).toMatchObject({ code: 'context_length_exceeded', message: 'too long' });
    expect(faultOf(['{"type":"error","code":"server_error","message":"boom"}'])?.message).toContain('boom');
    expect(faultOf(['{"error":{"message":"boom"}}'])?.message).toContain('boom');
    expect(faultOf(['{"type":"response.output_text.delta","delta":"a"}'])?.code).toBe('upstream_cut_off');
    expect(faultOf(['{"type":'])?.code).toBe('upstream_invalid_answer');
    expect(faultOf([JSON.stringify(done), '[DONE]'])).toBeUndefined();
  });

  it('never throws, whatever the payloads', () => {
    const type = fc.constantFrom(
      'response.output_item.added',
      'response.output_item.done',
      'response.function_call_arguments.delta',
      'response.completed',
      'response.failed',
      'error',
      'response.output_text.delta',
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.json(),
            fc
              .record({
                type,
                item: fc.jsonValue(),
                delta: fc.jsonValue(),
                response: fc.jsonValue(),
                output_index: fc.jsonValue(),
              })
              .map((event) => JSON.stringify(event)),
          ),
        ),
        (payloads) => void runSync(upstream.events(), payloads),
      ),
    );
  });
});

it('explode: a whole response as the events it would have been, and our own stream is parsed back', () => {
  const answerEvents: TurnEvent[] = [
    { type: 'reasoning-delta', choice: 0, text: 'hm' },
    { type: 'text-delta', choice: 0, text: 'Ok' },
    { type: 'tool-start', choice: 0, index: 0, id: 'c', name: 'f' },
    { type: 'tool-delta', choice: 0, index: 0, json: '{"a":1}' },
    { type: 'tool-end', choice: 0, index: 0, whole: true },
    { type: 'turn-end', choice: 0, reason: 'tool_calls' },
  ];
  const turn = responses.parseRequest({ model: 'm', input: 'hi', stream: true }, limits);
  const frames = runSync(
    responses.streamFrames(turn, { id: 'resp_1', model: 'm', createdAt: 1 }),
    answerEvents,
  ).out.join('');
  const payloads = frames
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice(6));
  const streamed = runSync(upstream.events(), payloads).out;
  const last = JSON.parse(payloads.findLast((one) => one.startsWith('{')) as string) as { response: JsonValue };
  const joined = (events: UpstreamEvent[]): string =>
    events
      .map((event) =>
        event.type === 'call-fragment'
          ? `${event.id ?? ''}${event.name ?? ''}${String(event.arguments)}`
          : 'text' in event
            ? event.text
            : '',
      )
      .join('|')
      .replaceAll('|', '');
  expect(joined(upstream.toEvents(last.response))).toBe(joined(streamed));
  expect(joined(streamed)).toBe('hmOkcf{"a":1}');
  for (const whole of [null, [], {}, { output: 1 }] as JsonValue[])
    expect(() => upstream.toEvents(whole)).toThrow(Fault);
  expect(() => upstream.toEvents({ output: [], error: { message: 'boom' } })).toThrow(/boom/);
});
