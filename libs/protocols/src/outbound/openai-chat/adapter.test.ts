import { runSync } from '@callsmith/stream';
import {
  Fault,
  fold,
  type JsonObject,
  type JsonValue,
  type TurnEvent,
  type UpstreamEvent,
  type UpstreamKind,
} from '@callsmith/turn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatCompletions } from '../../inbound/chat-completions/adapter.ts';
import type { Target } from '../../outbound-adapter.ts';
import { openaiChat as upstream } from './adapter.ts';

const limits = { maxDepth: 64, maxMessages: 1000, maxTools: 128 };
const target = (kind: UpstreamKind = 'vllm', refuses?: string[]): Target => ({
  upstream: 'gpu',
  kind,
  model: 'org/model',
  ...(refuses && { refusedParameters: refuses }),
});
const tool = {
  type: 'function',
  function: {
    name: 'read_file',
    description: 'Reads',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
};
const sent = (more: JsonObject, to = target()): JsonObject =>
  upstream.request(
    chatCompletions.parseRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more }, limits),
    to,
  ).body;
const dropped = (more: JsonObject, to: Target): readonly string[] =>
  upstream.request(
    chatCompletions.parseRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more }, limits),
    to,
  ).dropped;

const chunk = (delta: JsonObject, more: JsonObject = {}): string =>
  JSON.stringify({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 5,
    model: 'org/model',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }],
  });
const read = (payloads: string[]): UpstreamEvent[] => runSync(upstream.events(), payloads).out;
const faultOf = (payloads: string[]): Fault | undefined => runSync(upstream.events(), payloads).fault;

describe('request', () => {
  it('L-2, FR-010, FR-012: native forwards tools, tool_choice and every other parameter unchanged', () => {
    const parameters = {
      tools: [tool],
      tool_choice: { type: 'function', function: { name: 'read_file' } },
      parallel_tool_calls: false,
      temperature: 0.3,
      top_k: 20,
      chat_template_kwargs: { enable_thinking: false },
      made_up_by_tomorrow: { a: [1] },
      seed: 7,
    };
    expect(sent({ ...parameters, stream: true, stream_options: { continuous_usage_stats: true } })).toEqual({
      model: 'org/model',
      messages: [{ role: 'user', content: 'hi' }],
      ...parameters,
      stream: true,
      stream_options: { continuous_usage_stats: true, include_usage: true },
    });
  });

  it('requests usage in streams even if the client did not, and never otherwise', () => {
    expect(sent({ stream: true }).stream_options).toEqual({ include_usage: true });
    expect(sent({ stream: false, stream_options: { include_usage: true } }).stream_options).toBeUndefined();
    expect(sent({ stream: true }, target('vllm', ['stream_options'])).stream_options).toBeUndefined();
  });

  it('sends tool_choice only if the client named it or it is not the default', () => {
    expect(sent({ tools: [tool] })).not.toHaveProperty('tool_choice');
    expect(sent({ tools: [tool], tool_choice: 'auto' }).tool_choice).toBe('auto');
    expect(sent({ tools: [], tool_choice: 'auto' })).not.toHaveProperty('tools');
  });

  it('R-8: filters per kind of upstream and by what it was seen to refuse, and reports what it left out', () => {
    expect(dropped({ top_k: 5, store: true }, target('openai'))).toEqual(['top_k']);
    expect(dropped({ top_k: 5, store: true }, target('vllm'))).toEqual(['store']);
    expect(dropped({ tools: [tool], tool_choice: 'auto', parallel_tool_calls: true, n: 1 }, target('ollama'))).toEqual([
      'tool_choice',
      'parallel_tool_calls',
      'n',
    ]);
    expect(dropped({ tools: [tool], parallel_tool_calls: false }, target('vllm', ['parallel_tool_calls']))).toEqual([
      'parallel_tool_calls',
    ]);
    expect(dropped({ user: null, store: null }, target('llamacpp'))).toEqual([]);
  });

  it('renames the token limit to what the upstream knows', () => {
    expect(sent({ max_completion_tokens: 9 }, target('ollama'))).toMatchObject({ max_tokens: 9 });
    expect(sent({ max_completion_tokens: 9 }, target('ollama'))).not.toHaveProperty('max_completion_tokens');
    expect(sent({ max_tokens: 9 }, target('openai', ['max_tokens']))).toMatchObject({ max_completion_tokens: 9 });
    expect(dropped({ max_tokens: 9 }, target('openai', ['max_tokens']))).toEqual([]);
    expect(sent({ max_completion_tokens: 9 })).toMatchObject({ max_completion_tokens: 9 });
  });

  it('security 10: routing parameters are never forwarded, whatever the upstream', () => {
    const routing = {
      api_base: 'http://evil',
      base_url: 'http://evil',
      headers: { a: 'b' },
      extra_headers: { a: 'b' },
      metadata: { model_info: { api_base: 'x' } },
    };
    for (const kind of ['vllm', 'openai'] as const) {
      expect(Object.keys(sent(routing, target(kind)))).toEqual(['model', 'messages', 'stream']);
      expect([...dropped(routing, target(kind))].sort()).toEqual([
        'api_base',
        'base_url',
        'extra_headers',
        'headers',
        'metadata',
      ]);
    }
    expect(sent({ metadata: { run: '7' } }, target('openai')).metadata).toEqual({ run: '7' });
  });

  it('the message shapes of real clients', () => {
    const messages = [
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        refusal: null,
        parsed: null,
        reasoning_content: 'hm',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'gone', arguments: '{"a": 1e400}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', name: 'gone', content: [{ type: 'text', text: 'one' }] },
      { role: 'assistant', content: '', reasoning: 'so' },
      { role: 'user', content: null },
    ];
    expect(sent({ messages }).messages).toEqual([
      { role: 'system', content: 'a\nb' },
      messages[1],
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'hm',
        reasoning: 'hm',
        tool_calls: (messages[2] as JsonObject).tool_calls,
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'one', name: 'gone' },
      { role: 'assistant', content: '', reasoning_content: 'so', reasoning: 'so' },
      { role: 'user', content: '' },
    ]);
    const service = sent({ messages }, target('openai')).messages as JsonObject[];
    expect(service[0]?.role).toBe('developer');
    expect(JSON.stringify(service)).not.toContain('reasoning');
    expect((sent({ messages }, target('ollama')).messages as JsonObject[])[2]).toMatchObject({
      content: '',
      reasoning: 'hm',
    });
  });

  it.each<[UpstreamKind, JsonObject]>([
    ['vllm', { reasoning_content: 'hm', reasoning: 'hm' }],
    ['sglang', { reasoning_content: 'hm' }],
    ['llamacpp', { reasoning_content: 'hm' }],
    ['ollama', { reasoning: 'hm' }],
    ['lmstudio', { reasoning_content: 'hm', reasoning: 'hm' }],
    ['openai', {}],
  ])('past reasoning goes to %s in the fields that it reads, whatever the client calls it', (kind, members) => {
    for (const named of [
      { reasoning: 'hm' },
      { reasoning_content: 'hm' },
      { reasoning_content: '', reasoning: 'hm' },
    ]) {
      const messages = [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: 'y', ...named },
        { role: 'user', content: 'z' },
      ];
      expect((sent({ messages }, target(kind)).messages as JsonObject[])[1]).toEqual({
        role: 'assistant',
        content: 'y',
        ...members,
      });
    }
  });

  it('a service gets past reasoning if its model is set to have it back, except for a field that it refuses', () => {
    const messages = [
      { role: 'assistant', content: 'y', reasoning: 'hm' },
      { role: 'user', content: 'z' },
    ];
    const wants = { ...target('openai'), keepsReasoning: true };
    const past = (to: Target) => (sent({ messages }, to).messages as JsonObject[])[0];
    expect(past(wants)).toMatchObject({ reasoning_content: 'hm', reasoning: 'hm' });
    expect(past({ ...wants, refusedParameters: ['messages.reasoning'] })).toEqual({
      role: 'assistant',
      content: 'y',
      reasoning_content: 'hm',
    });
  });

  it('sends engines an empty schema for a tool without parameters, because their templates require one', () => {
    const bare = { type: 'function', function: { name: 'now' } };
    expect((sent({ tools: [bare] }).tools as JsonObject[])[0]).toEqual({
      type: 'function',
      function: { name: 'now', parameters: { type: 'object', properties: {} } },
    });
    expect((sent({ tools: [bare] }, target('openai')).tools as JsonObject[])[0]).toEqual(bare);
  });
});

describe('events', () => {
  it('gives text, reasoning, call fragments, usage and the finish', () => {
    expect(
      read([
        chunk({ role: 'assistant', content: '' }),
        chunk({ reasoning_content: 'hm' }),
        chunk({ content: 'a' }),
        chunk({ tool_calls: [{ index: 0, id: 'x', type: 'function', function: { name: 'f', arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
        chunk({}, { finish_reason: 'tool_calls' }),
        JSON.stringify({ id: 'c1', choices: [], usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } }),
        '[DONE]',
      ]),
    ).toEqual([
      { type: 'turn-start', choice: 0, id: 'c1', model: 'org/model', createdAt: 5 },
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'text-delta', choice: 0, text: 'a' },
      { type: 'call-fragment', choice: 0, index: 0, id: 'x', name: 'f', arguments: '' },
      { type: 'call-fragment', choice: 0, index: 0, arguments: '{}' },
      {
        type: 'usage',
        choice: 0,
        inputTokens: 2,
        outputTokens: 3,
        source: 'upstream',
        upstream: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
      },
      { type: 'turn-end', choice: 0, reason: 'tool_calls' },
    ]);
  });

  it('D-8: [DONE] without a finish and a finish without [DONE] are clean ends; neither is a cut', () => {
    const text = chunk({ content: 'a' });
    expect(read([text, '[DONE]']).at(-1)).toEqual({ type: 'turn-end', choice: 0, reason: 'stop' });
    expect(faultOf([text, '[DONE]'])).toBeUndefined();
    expect(read([text, chunk({}, { finish_reason: 'length' })]).at(-1)).toEqual({
      type: 'turn-end',
      choice: 0,
      reason: 'length',
    });
    expect(faultOf([text])?.code).toBe('upstream_cut_off');
    expect(faultOf([])?.code).toBe('upstream_cut_off');
    expect(faultOf([text, chunk({}, { finish_reason: 'abort' }), '[DONE]'])?.code).toBe('upstream_cut_off');
  });

  it('parses what comes after the finish, and emits each choice’s finish once', () => {
    const events = read([
      chunk({ content: 'a' }, { finish_reason: 'stop' }),
      chunk({ content: 'b' }),
      chunk({}, { finish_reason: 'stop' }),
      '[DONE]',
    ]);
    expect(events.filter((event) => event.type === 'turn-end')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('turn-end');
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))).toEqual(['a', 'b']);
  });

  it('keeps n choices apart', () => {
    const of = (index: number, delta: JsonObject, reason: string | null = null): string =>
      chunk(delta, { index, finish_reason: reason });
    const events = read([
      of(0, { content: 'a' }),
      of(1, { content: 'b' }),
      of(0, { content: 'c' }),
      of(1, {}, 'length'),
      of(0, {}, 'stop'),
      '[DONE]',
    ]);
    expect(
      events
        .filter((event) => event.type === 'text-delta')
        .map((event) => [event.choice, event.type === 'text-delta' && event.text]),
    ).toEqual([
      [0, 'a'],
      [1, 'b'],
      [0, 'c'],
    ]);
    expect(events.filter((event) => event.type === 'turn-end')).toHaveLength(2);
  });

  it.each([-1, 0.5, 1e9, '1', null])('treats the choice of index %j as the first', (index) => {
    const events = read([chunk({ content: 'a' }, { index }), chunk({}, { index, finish_reason: 'stop' }), '[DONE]']);
    expect(new Set(events.map((event) => event.choice))).toEqual(new Set([0]));
    expect(fold(events as TurnEvent[]).choices).toMatchObject([{ text: 'a', reason: 'stop' }]);
    const logprobs = { content: [{ token: 'a', logprob: -1 }] };
    const whole = upstream.toEvents({
      choices: [{ index, message: { content: 'a' }, logprobs, finish_reason: 'stop' }],
    });
    expect(fold(whole as TurnEvent[]).choices).toMatchObject([{ text: 'a', reason: 'stop', extra: { logprobs } }]);
  });

  it('treats an error event of any form as the end', () => {
    expect(
      faultOf([chunk({ content: 'a' }), '{"error":{"message":"CUDA out of memory","code":500}}', '[DONE]']),
    ).toMatchObject({ code: 'upstream_error', message: expect.stringContaining('CUDA out of memory') });
    expect(faultOf(['{"object":"error","message":"maximum context length is 4096 tokens","code":400}'])?.code).toBe(
      'context_length_exceeded',
    );
    expect(faultOf(['{"error":"boom"}'])?.message).toContain('boom');
    expect(faultOf([chunk({ content: 'a' }), '{"choices":[{'])?.code).toBe('upstream_invalid_answer');
    expect(faultOf(['[]'])?.code).toBe('upstream_invalid_answer');
  });

  it('M-6, E-2: accepts arguments as object, no id, no index, no wrapper, one call instead of a list, the legacy function_call', () => {
    expect(read([chunk({ tool_calls: [{ name: 'f', arguments: { a: 1 } }] })])[1]).toEqual({
      type: 'call-fragment',
      choice: 0,
      name: 'f',
      arguments: { a: 1 },
    });
    expect(read([chunk({ tool_calls: { function: { name: 'f', arguments: '{}' } } })])[1]).toEqual({
      type: 'call-fragment',
      choice: 0,
      name: 'f',
      arguments: '{}',
    });
    expect(read([chunk({ function_call: { name: 'f', arguments: '{' } })])[1]).toEqual({
      type: 'call-fragment',
      choice: 0,
      index: 0,
      name: 'f',
      arguments: '{',
    });
    expect(read([chunk({ name: 'f', arguments: '{}' })])[1]).toEqual({
      type: 'call-fragment',
      choice: 0,
      name: 'f',
      arguments: '{}',
    });
    expect(
      read([chunk({ tool_calls: ['rubbish', null] })]).filter((event) => event.type === 'call-fragment'),
    ).toHaveLength(2);
  });

  it('D-13: keeps unknown fields of a delta', () => {
    expect(read([chunk({ content: 'a', citations: ['u'] })])[1]).toEqual({
      type: 'text-delta',
      choice: 0,
      text: 'a',
      extra: { citations: ['u'] },
    });
  });

  it('D-39 keeps the newest value of unknown fields of the response, and not without limit', () => {
    const late = (more: JsonObject): string =>
      JSON.stringify({ ...(JSON.parse(chunk({ content: 'a' })) as object), ...more });
    const named = Array.from({ length: 3000 }, (_, at) => late({ [`field_${at}`]: at, seen: at }));
    const large = Array.from({ length: 3 }, () => late({ large: 'x'.repeat(1_000_000) }));
    const end = read([...named, ...large, late({ seen: 'last' }), chunk({}, { finish_reason: 'stop' })]).at(-1);
    const { answer } = end as { answer: JsonObject };
    expect(Object.keys(answer).length).toBeLessThanOrEqual(100);
    expect([answer.field_7, answer.seen, answer.large]).toEqual([7, 'last', undefined]);
  });

  /** The events of payloads that arrive in bursts: `ends` has the index of each burst's last payload. */
  const inBursts = (payloads: string[], ends: number[] = []): UpstreamEvent[] => {
    const out: UpstreamEvent[] = [];
    const parser = upstream.events()({
      push: (event) => out.push(event),
      pushText: (text) => out.push({ type: 'text-delta', choice: 0, text }) > 0,
      flush: () => {},
      end: () => {},
    });
    for (const [at, payload] of payloads.entries()) {
      parser.push(payload);
      if (ends.includes(at)) parser.flush();
    }
    parser.push('[DONE]');
    return out;
  };
  /** The same events without a frame: no two payloads begin alike. */
  const parsed = (payloads: string[]): UpstreamEvent[] =>
    inBursts(payloads.map((payload, at) => ' '.repeat(at) + payload));
  const used = (tokens: number): JsonObject => ({ prompt_tokens: 1, completion_tokens: tokens });
  const withMembers = (payload: string, more: JsonObject): string =>
    JSON.stringify({ ...(JSON.parse(payload) as JsonObject), ...more });

  it('parses events by their learned frame exactly as without it', () => {
    const members = ['content', 'reasoning_content', 'reasoning', 'arguments'] as const;
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('word', '"', '\\', '\n', 'é', '"},"finish_reason":"stop"', '\\"', '{"content":"x"}', '\u2028'),
    );
    const delta = (member: (typeof members)[number], value: string): JsonObject =>
      member === 'arguments' ? { tool_calls: [{ index: 0, function: { arguments: value } }] } : { [member]: value };
    const shape = fc.record(
      {
        member: fc.constantFrom(...members),
        constant: fc.constantFrom<JsonObject>({ content: 'same' }, { reasoning: 'same' }, { annotations: [{ a: 1 }] }),
        choice: fc.constantFrom<JsonObject>(
          { finish_reason: 'length' },
          { finish_reason: 'stop' },
          { index: 1 },
          { logprobs: { content: [] } },
          { note: 'of the end', finish_reason: 'stop' },
        ),
        answer: fc.constantFrom<JsonObject>(
          { usage: used(1) },
          { usage: used(2) },
          { seen: 1 },
          { seen: 2 },
          { choices: [null] },
        ),
        spaced: fc.boolean(),
      },
      { requiredKeys: ['member'] },
    );
    const stream = fc
      .array(shape, { minLength: 1, maxLength: 3 })
      .chain((shapes) => fc.array(fc.tuple(fc.constantFrom(...shapes), text), { maxLength: 20 }));
    /** Unknown members of the response are in its first events, and again at its end if they also came later. */
    const normalized = (events: UpstreamEvent[]): unknown[] => {
      const first = Object.assign({}, ...events.map((event) => (event.type === 'turn-start' ? event.extra : {})));
      return events.map((event) =>
        event.type === 'turn-end' && event.choice === 0 ? { ...event, answer: { ...first, ...event.answer } } : event,
      );
    };
    fc.assert(
      fc.property(stream, fc.array(fc.nat(20)), (entries, ends) => {
        const payloads = entries.map(([{ member, constant, choice, answer, spaced }, one]) => {
          const payload = withMembers(chunk({ ...constant, ...delta(member, one) }, choice), answer ?? {});
          return spaced ? payload.replaceAll('":', '": ') : payload;
        });
        expect(normalized(inBursts(payloads, ends))).toEqual(normalized(parsed(payloads)));
      }),
      { numRuns: 1000 },
    );
  });

  // Three equal ones are learned from; of those that follow, what a frame would leave out counts at the end.
  it.each<[what: string, payloads: string[], last: object]>([
    [
      'usage',
      [1, 1, 1, 2, 1].map((tokens) => withMembers(chunk({ content: 'a' }), { usage: used(tokens) })),
      { type: 'usage', outputTokens: 1 },
    ],
    [
      'a finish reason',
      ['length', 'length', 'length', 'stop', 'length'].map((reason) =>
        chunk({ content: 'a' }, { finish_reason: reason }),
      ),
      { type: 'turn-end', reason: 'length' },
    ],
    [
      'an unknown member of the answer',
      [1, 1, 1, 2, 1].map((seen) => withMembers(chunk({ content: 'a' }), { seen })),
      { type: 'turn-end', answer: { seen: 1 } },
    ],
    [
      'content beside reasoning that changes',
      ['a', 'b', 'c', 'd'].map((reasoning) => chunk({ reasoning, content: 'same' })),
      { type: 'text-delta', text: 'same' },
    ],
    [
      'that they are of the second choice',
      ['a', 'b', 'c', 'd'].map((content) => chunk({ content }, { index: 1 })),
      { type: 'text-delta', choice: 1, text: 'd' },
    ],
    [
      'something of a second choice',
      ['a', 'b', 'c', 'd'].map((content) =>
        withMembers(chunk({}), {
          choices: [
            { index: 0, delta: { content } },
            { index: 1, delta: { content: 'same' } },
          ],
        }),
      ),
      { type: 'text-delta', choice: 1, text: 'same' },
    ],
    [
      'annotations of the text',
      ['a', 'b', 'c', 'd'].map((content) => chunk({ content, annotations: [{ type: 'file' }] })),
      { type: 'text-delta', text: 'd', extra: { annotations: [{ type: 'file' }] } },
    ],
    [
      'log probabilities of the text',
      ['a', 'b', 'c', 'd'].map((content) => chunk({ content }, { logprobs: { content: [] } })),
      { type: 'text-delta', text: 'd', extra: { logprobs: { content: [] } } },
    ],
    [
      'nothing, in a choice that is none',
      ['a', 'b', 'c', 'd'].map((content) => withMembers(chunk({ content }), { choices: [null], seen: 1 })),
      { type: 'turn-end', answer: { seen: 1 } },
    ],
  ])('a learned frame drops nothing from events that also contain %s', (_, payloads, last) => {
    const whole = [chunk({ role: 'assistant' }), ...payloads, chunk({}, { finish_reason: null })];
    const events = inBursts(whole);
    const { type } = last as { type: string };
    expect(events.filter((event) => event.type === type).at(-1)).toMatchObject(last);
    expect(events).toEqual(parsed(whole));
  });

  it('a learned frame does not hide a broken event', () => {
    const [first, second] = [chunk({ content: 'a' }), chunk({ content: 'b' })];
    expect(faultOf([first, second, chunk({ content: 'X' }).replace('X', 'a\u0001')])?.code).toBe(
      'upstream_invalid_answer',
    );
    expect(faultOf([first, second, chunk({ content: 'X' }).replace('X', 'a"b')])?.code).toBe('upstream_invalid_answer');
    expect(faultOf([first, second, chunk({ content: 'X' }).replace('X', '\\q')])?.code).toBe('upstream_invalid_answer');
  });

  it('never throws, whatever the payloads', () => {
    const delta = fc.object({
      key: fc.constantFrom('content', 'tool_calls', 'function', 'name', 'arguments', 'reasoning', 'role', 'index'),
    });
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.json(),
            delta.map((value) => chunk(value as JsonObject)),
            fc.string(),
          ),
        ),
        (payloads) => void read(payloads),
      ),
    );
  });
});

describe('explode', () => {
  it('gives a whole response as the events it would have been', () => {
    const whole: JsonValue = {
      id: 'c1',
      created: 5,
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: {
            role: 'assistant',
            content: null,
            reasoning: 'hm',
            tool_calls: [
              { id: 'x', type: 'function', function: { name: 'f', arguments: { a: 1 } } },
              { name: 'g', arguments: '{}' },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 2, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 1 } },
    };
    expect(upstream.toEvents(whole)).toEqual([
      { type: 'turn-start', choice: 0, id: 'c1', model: 'm', createdAt: 5 },
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'call-fragment', choice: 0, index: 0, id: 'x', name: 'f', arguments: { a: 1 } },
      { type: 'call-fragment', choice: 0, index: 1, name: 'g', arguments: '{}' },
      {
        type: 'usage',
        choice: 0,
        inputTokens: 2,
        outputTokens: 3,
        cachedTokens: 1,
        source: 'upstream',
        upstream: whole.usage,
      },
      { type: 'turn-end', choice: 0, reason: 'stop' },
    ]);
  });

  it('throws for what is not a response', () => {
    for (const whole of [null, 'hi', [], {}, { choices: 1 }] as JsonValue[])
      expect(() => upstream.toEvents(whole)).toThrow(Fault);
    expect(() => upstream.toEvents({ error: { message: 'boom' } })).toThrow(/boom/);
  });
});

describe('fault', () => {
  const of = (status: number, body: string, headers: Record<string, string> = {}): Fault =>
    upstream.toFault({ status, headers, body }, target());

  it('FR-013: vLLM’s top-level body is wrapped, its message kept', () => {
    const fault = of(
      400,
      '{"object":"error","message":"temperature must be non-negative","type":"BadRequestError","param":"temperature","code":400}',
    );
    expect(fault.body()).toEqual({
      error: {
        message: 'temperature must be non-negative',
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'upstream_rejected',
        origin: 'upstream',
      },
    });
    expect(fault.status).toBe(400);
  });

  it('keeps the message and the code of an overlong context', () => {
    const words = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.";
    for (const body of [
      `{"error":{"message":"${words}","code":"context_length_exceeded"}}`,
      `{"object":"error","message":"${words}"}`,
    ])
      expect(of(400, body)).toMatchObject({ code: 'context_length_exceeded', message: words, status: 400 });
    expect(
      of(
        400,
        '{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}',
      ).code,
    ).toBe('context_length_exceeded');
  });

  it('names HTML and never shows it', () => {
    const fault = of(502, '<!DOCTYPE html><html><body><h1>Bad gateway</h1><script>alert(1)</script></body></html>');
    expect(fault.message).toContain('"gpu" answered 502 with an HTML page');
    expect(fault.message).not.toContain('<');
  });

  it('R-9: every 429 and 503 has a retry-after, the upstream’s own if it gave one', () => {
    expect(of(429, '{"error":{"message":"slow"}}', { 'retry-after': '7' })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
    });
    expect(of(429, '').headers['retry-after']).toBe('2');
    expect(of(503, 'Loading model', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
    });
    expect(of(529, '{}').headers['retry-after']).toBe('2');
  });

  it('does not blame the client for the gateway’s credentials, and does not show them', () => {
    const fault = of(401, '{"error":{"message":"Incorrect API key provided: sk-secret"}}');
    expect(fault).toMatchObject({ status: 502, origin: 'upstream' });
    expect(fault.message).not.toContain('sk-secret');
    expect(of(404, '{"object":"error","message":"The model `x` does not exist."}').message).toContain('does not exist');
  });

  it('reads every error body it may get', () => {
    expect(of(500, '{"error":"llama runner process has terminated"}').message).toContain('llama runner');
    expect(of(422, '{"detail":[{"loc":["body","messages"],"msg":"field required"}]}').message).toContain(
      'field required',
    );
    expect(of(400, '{"message":"plain"}').message).toBe('plain');
    expect(of(500, '').message).toContain('without a body');
    expect(of(500, 'a\u0000\u001bplain text').message).toContain('not JSON');
    expect(of(504, '').status).toBe(504);
  });
});

it('SC-008 a whole response of hundreds of thousands of calls overflows nothing', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const message = { role: 'assistant', content: null, tool_calls: Array(300_000).fill(call) };
  expect(upstream.toEvents({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }).length).toBe(300_002);
});
