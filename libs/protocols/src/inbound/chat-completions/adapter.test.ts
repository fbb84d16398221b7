import { pipe, runSync } from '@callsmith/stream';
import { Fault, fold, type JsonObject, type JsonValue, ToolTable, type Turn, type TurnEvent } from '@callsmith/turn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatCompletions as front } from './adapter.ts';

const limits = { maxDepth: 64, maxMessages: 1000, maxTools: 128 };
const head = { id: 'chatcmpl-1', model: 'team/"quoted" 模型', createdAt: 1_700_000_000 };
const tools = [
  {
    type: 'function',
    function: { name: 'read_file', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  },
];
const body = (more: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});
const turnOf = (more: JsonObject = {}): Turn => front.parseRequest(body(more), limits);

const answerOf = (turn: Turn, events: TurnEvent[], fault?: Fault): string =>
  runSync(front.streamFrames(turn, head), events, fault).out.join('');
const chunks = (text: string): JsonObject[] =>
  text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)) as JsonObject);
const choices = (text: string): JsonObject[] => chunks(text).flatMap((chunk) => (chunk.choices ?? []) as JsonObject[]);

const call: TurnEvent[] = [
  { type: 'turn-start', choice: 0, id: 'up', model: 'up', createdAt: 1 },
  { type: 'text-delta', choice: 0, text: 'Ok. ' },
  { type: 'tool-start', choice: 0, index: 0, id: 'call_a', name: 'read_file' },
  { type: 'tool-delta', choice: 0, index: 0, json: '{"path":"a' },
  { type: 'tool-delta', choice: 0, index: 0, json: '.txt"}' },
  { type: 'tool-end', choice: 0, index: 0, whole: true },
  { type: 'tool-start', choice: 0, index: 1, id: 'call_b', name: 'read_file' },
  { type: 'tool-delta', choice: 0, index: 1, json: '{}' },
  { type: 'tool-end', choice: 0, index: 1, whole: true },
  { type: 'usage', choice: 0, inputTokens: 3, outputTokens: 4, source: 'upstream' },
  { type: 'turn-end', choice: 0, reason: 'tool_calls' },
];

describe('functions, the legacy form of tools', () => {
  const functions = [{ name: 'read_file', parameters: { type: 'object' } }];
  const one = call.filter((event) => !('index' in event) || event.index === 0);

  it('gets its call as function_call, streamed', () => {
    const streamedChoices = choices(answerOf(turnOf({ stream: true, functions }), one));
    const pieces = streamedChoices.flatMap(({ delta }) => ((delta as JsonObject).function_call ?? []) as JsonObject[]);
    expect(pieces).toEqual([
      { name: 'read_file', arguments: '' },
      { arguments: '{"path":"a' },
      { arguments: '.txt"}' },
    ]);
    expect(streamedChoices.at(-1)?.finish_reason).toBe('function_call');
    expect(JSON.stringify(streamedChoices)).not.toContain('tool_calls');
  });

  it('gets its call as function_call, whole', () => {
    const [choice] = front.wholeResponse(turnOf({ functions }), head, fold(one)).choices as JsonObject[];
    expect(choice).toMatchObject({
      finish_reason: 'function_call',
      message: { content: 'Ok. ', refusal: null, function_call: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
    });
    expect(choice?.message).not.toHaveProperty('tool_calls');
  });

  it('gets no second call, and text as usual', () => {
    const both = choices(answerOf(turnOf({ stream: true, functions }), call));
    const [choice] = front.wholeResponse(turnOf({ functions }), head, fold(call)).choices as JsonObject[];
    const joined = (choice?.message as JsonObject | undefined)?.function_call;
    const args = both.map(
      ({ delta }) => ((delta as JsonObject).function_call as JsonObject | undefined)?.arguments ?? '',
    );
    expect([args.join(''), joined]).toEqual(['{"path":"a.txt"}', { name: 'read_file', arguments: '{"path":"a.txt"}' }]);
    const text = choices(
      answerOf(turnOf({ stream: true, functions }), [
        { type: 'text-delta', choice: 0, text: 'Hi' },
        { type: 'turn-end', choice: 0, reason: 'stop' },
      ]),
    );
    expect(text.at(-1)?.finish_reason).toBe('stop');
  });
});

describe('frames', () => {
  it('R-4, FR-006, FR-007, FR-008, E-6: the one shape every client accepts', () => {
    const text = answerOf(turnOf({ stream: true, tools, stream_options: { include_usage: true } }), call);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const deltas = choices(text).map((choice) => choice.delta as JsonObject);
    expect(deltas[0]).toEqual({ role: 'assistant', content: '' });
    expect(deltas.filter((delta) => delta.role !== undefined)).toHaveLength(1);
    const pieces = deltas.flatMap((delta) => (delta.tool_calls ?? []) as JsonObject[]);
    expect(pieces).toEqual([
      { index: 0, id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '' } },
      { index: 0, function: { arguments: '{"path":"a' } },
      { index: 0, function: { arguments: '.txt"}' } },
      { index: 1, id: 'call_b', type: 'function', function: { name: 'read_file', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
    ]);
    expect(
      choices(text)
        .filter((choice) => choice.finish_reason !== null)
        .map((choice) => choice.finish_reason),
    ).toEqual(['tool_calls']);
    expect(chunks(text).filter((chunk) => chunk.usage)).toEqual([
      {
        id: head.id,
        object: 'chat.completion.chunk',
        created: head.createdAt,
        model: head.model,
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      },
    ]);
  });

  it('FR-011, R-7: usage only if requested, in the last chunk before [DONE]', () => {
    expect(answerOf(turnOf({ stream: true, tools }), call)).not.toContain('usage');
    const withUsage = answerOf(turnOf({ stream: true, stream_options: { include_usage: true } }), call);
    expect(chunks(withUsage).findIndex((chunk) => chunk.usage)).toBe(chunks(withUsage).length - 1);
  });

  it('keeps the upstream’s usage object, and marks an estimate', () => {
    const upstream = {
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      prompt_tokens_details: { cached_tokens: 1 },
    };
    const turn = turnOf({ stream: true, stream_options: { include_usage: true } });
    const last = (event: TurnEvent): JsonValue | undefined => chunks(answerOf(turn, [event])).at(-1)?.usage;
    expect(last({ type: 'usage', choice: 0, inputTokens: 1, outputTokens: 2, source: 'upstream', upstream })).toEqual(
      upstream,
    );
    expect(last({ type: 'usage', choice: 0, inputTokens: 1, outputTokens: 2, source: 'estimated' })).toMatchObject({
      estimated: true,
      total_tokens: 3,
    });
  });

  it('n > 1: each choice has its own role, index and finish', () => {
    const events: TurnEvent[] = [1, 0].flatMap((choice): TurnEvent[] => [
      { type: 'text-delta', choice, text: `c${choice}` },
    ]);
    const text = answerOf(turnOf({ stream: true, n: 2 }), [
      ...events,
      { type: 'turn-end', choice: 1, reason: 'length' },
      { type: 'turn-end', choice: 0, reason: 'stop' },
    ]);
    for (const index of [0, 1]) {
      const own = choices(text).filter((choice) => choice.index === index);
      expect(own[0]).toMatchObject({ delta: { role: 'assistant' } });
      expect(own.map((choice) => choice.finish_reason).filter((reason) => reason !== null)).toEqual([
        index === 0 ? 'stop' : 'length',
      ]);
    }
  });

  it('D-8: an unfinished choice gets exactly one finish_reason, also a response with nothing in it', () => {
    expect(choices(answerOf(turnOf({ stream: true }), [])).map((choice) => choice.finish_reason)).toEqual([
      null,
      'stop',
    ]);
  });

  it('D-1, FR-013: an error in mid-stream is an error event, with neither finish_reason nor [DONE]', () => {
    const text = answerOf(
      turnOf({ stream: true, tools }),
      call.slice(0, 4),
      new Fault('tool_call_truncated', 'cut at 12 KB'),
    );
    expect(text).not.toContain('[DONE]');
    expect(choices(text).every((choice) => choice.finish_reason === null)).toBe(true);
    expect(chunks(`${text.split('\n\n').at(-2)}\n\n`)).toEqual([
      {
        error: {
          message: 'cut at 12 KB',
          type: 'upstream_error',
          param: null,
          code: 'tool_call_truncated',
          origin: 'model',
        },
      },
    ]);
  });

  it('keeps unknown fields, and log probabilities in their place', () => {
    const logprobs = { content: [{ token: 'a', logprob: -0.5 }] };
    const text = answerOf(turnOf({ stream: true }), [
      { type: 'text-delta', choice: 0, text: 'a', extra: { refusal: 'no', logprobs } },
    ]);
    expect(choices(text)[1]).toEqual({
      index: 0,
      delta: { content: 'a', refusal: 'no' },
      logprobs,
      finish_reason: null,
    });
  });

  it('a whole response keeps them too, joined from all deltas, whatever they are called', () => {
    const piece = (text: string): TurnEvent => ({
      type: 'text-delta',
      choice: 0,
      text,
      extra: JSON.parse(
        JSON.stringify({
          refusal: text,
          proto: { x: 1 },
          logprobs: { content: [{ token: text, logprob: -0.5 }] },
        }).replace('"proto"', '"__proto__"'),
      ) as JsonObject,
    });
    const first = piece('a');
    const folded = fold([first, piece('b'), { type: 'turn-end', choice: 0, reason: 'stop' }]);
    expect(front.wholeResponse(turnOf({}), head, folded)).toMatchObject({
      choices: [
        {
          message: { content: 'ab', refusal: 'ab' },
          logprobs: { content: [{ token: 'a' }, { token: 'b' }] },
          finish_reason: 'stop',
        },
      ],
    });
    expect(first).toEqual(piece('a'));
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('a heartbeat is a comment and an empty delta', () => {
    const beat = front.heartbeat(head);
    expect(beat.startsWith(': ')).toBe(true);
    expect(choices(beat)).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: null }]);
  });

  it('security 28: whatever the model writes, a frame stays one frame and equals a full stringify', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\n\ndata: {"choices":[]}\n\n', '"}]}', '\u2028\\', '\ud800'),
    );
    fc.assert(
      fc.property(anything, anything, (text, json) => {
        const events: TurnEvent[] = [
          { type: 'text-delta', choice: 0, text },
          { type: 'reasoning-delta', choice: 0, text: json },
          { type: 'tool-start', choice: 0, index: 0, id: text, name: json },
          { type: 'tool-delta', choice: 0, index: 0, json },
        ];
        const frame = (delta: JsonObject, reason: string | null = null): string =>
          `data: ${JSON.stringify({ id: head.id, object: 'chat.completion.chunk', created: head.createdAt, model: head.model, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] })}\n\n`;
        expect(runSync(front.streamFrames(turnOf({ stream: true }), head), events).out).toEqual([
          frame({ role: 'assistant', content: '' }),
          frame({ content: text }),
          frame({ reasoning_content: json }),
          frame({ tool_calls: [{ index: 0, id: text, type: 'function', function: { name: json, arguments: '' } }] }),
          frame({ tool_calls: [{ index: 0, function: { arguments: json } }] }),
          frame({}, 'stop'),
          'data: [DONE]\n\n',
        ]);
      }),
    );
  });

  it('a custom tool gets its plain text back, streaming and whole', () => {
    const turn = turnOf({ stream: true, tools: [{ type: 'custom', custom: { name: 'apply_patch' } }] });
    const events: TurnEvent[] = [
      { type: 'tool-start', choice: 0, index: 0, id: 'call_a', name: 'apply_patch' },
      { type: 'tool-delta', choice: 0, index: 0, json: '{"input":"*** Be' },
      { type: 'tool-delta', choice: 0, index: 0, json: 'gin\\n"}' },
      { type: 'tool-end', choice: 0, index: 0, whole: true },
      { type: 'turn-end', choice: 0, reason: 'tool_calls' },
    ];
    const pieces = choices(answerOf(turn, events)).flatMap(
      (choice) => ((choice.delta as JsonObject).tool_calls ?? []) as JsonObject[],
    );
    expect(pieces).toEqual([
      { index: 0, id: 'call_a', type: 'custom', custom: { name: 'apply_patch', input: '' } },
      { index: 0, custom: { input: '*** Begin\n' } },
    ]);
    expect(JSON.stringify(front.wholeResponse(turn, head, fold(events)))).toContain(
      '{"id":"call_a","type":"custom","custom":{"name":"apply_patch","input":"*** Begin\\n"}}',
    );
  });
});

describe('whole', () => {
  it('FR-005, FR-006, R-4: content null beside calls, calls with ids and argument strings', () => {
    const whole = front.wholeResponse(
      turnOf({ tools }),
      head,
      fold(call.filter((event) => event.type !== 'text-delta')),
    );
    expect(whole).toEqual({
      id: head.id,
      object: 'chat.completion',
      created: head.createdAt,
      model: head.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            refusal: null,
            tool_calls: [
              { id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
              { id: 'call_b', type: 'function', function: { name: 'read_file', arguments: '{}' } },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    });
  });

  it('whole ≡ fold(stream)', () => {
    const turn = turnOf({ stream: true, tools });
    const streamed = choices(answerOf(turn, call));
    const whole = (front.wholeResponse(turn, head, fold(call)).choices as JsonObject[])[0] as JsonObject;
    const message = whole.message as JsonObject;
    expect(streamed.map((choice) => (choice.delta as JsonObject).content ?? '').join('')).toBe(message.content);
    const args = streamed.flatMap((choice) => ((choice.delta as JsonObject).tool_calls ?? []) as JsonObject[]);
    for (const [index, made] of (message.tool_calls as JsonObject[]).entries())
      expect(
        args
          .filter((piece) => piece.index === index)
          .map((piece) => (piece.function as JsonObject).arguments)
          .join(''),
      ).toBe((made.function as JsonObject).arguments);
    expect(streamed.at(-1)?.finish_reason).toBe(whole.finish_reason);
  });
});

it('works in a list of stages', () => {
  const turn = { ...turnOf(), tools: new ToolTable() };
  const twice = pipe(front.streamFrames(turn, head), (next) => ({ ...next, push: (text: string) => next.push(text) }));
  expect(runSync(twice, call.slice(0, 2)).out.join('')).toContain('"content":"Ok. "');
});
