import { runSync } from '@callsmith/stream';
import { Fault, type JsonObject } from '@callsmith/turn';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chatCompletions } from './adapter.ts';
import { mayPassThrough, passthroughStream, passthroughWhole, usageAndDone } from './passthrough.ts';

const head = { id: 'chatcmpl-ours', model: 'public', createdAt: 9 };
const turn = (more: JsonObject = {}) =>
  chatCompletions.parseRequest(
    { model: 'public', messages: [{ role: 'user', content: 'hi' }], stream: true, ...more },
    { maxDepth: 32, maxMessages: 99, maxTools: 9 },
  );
const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject => ({
  id: 'cmpl-theirs',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'org/model',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, stop_reason: null }],
  ...more,
});
const usage = {
  id: 'cmpl-theirs',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'org/model',
  choices: [],
  usage: { prompt_tokens: 1, total_tokens: 3, completion_tokens: 2 },
};
const through = (payloads: string[], more: JsonObject = {}, isCounted = true) =>
  runSync(
    passthroughStream(turn(more), head, () => isCounted),
    payloads,
  ).out;
const parsed = (frames: string[]): JsonObject[] =>
  frames.filter((frame) => frame.startsWith('data: {')).map((frame) => JSON.parse(frame.slice(6)) as JsonObject);
const own = (theirs: JsonObject): JsonObject => ({ ...theirs, id: head.id, model: head.model });

it('D-16: only a turn without tools and without tool history is passed through', () => {
  expect(mayPassThrough(turn())).toBe(true);
  expect(mayPassThrough(turn({ tools: [{ type: 'function', function: { name: 'f' } }] }))).toBe(false);
  expect(
    mayPassThrough(
      turn({
        messages: [
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
        ],
      }),
    ),
  ).toBe(false);
});

it('SC-010: frames are JSON-equal to the upstream’s except for model name, id and unrequested usage', () => {
  const theirs = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'a "b"\n' }),
    chunk({ content: 'é', odd: [1] }),
    chunk({ reasoning_content: 'hm' }),
    chunk({}, 'stop'),
  ];
  const payloads = [...theirs, usage].map((one) => JSON.stringify(one));
  const unasked = through([...payloads, '[DONE]']);
  expect(parsed(unasked)).toEqual(theirs.map(own));
  expect(unasked.at(-1)).toBe('data: [DONE]\n\n');
  expect(parsed(through([...payloads, '[DONE]'], { stream_options: { include_usage: true } }))).toEqual(
    [...theirs, usage].map(own),
  );
});

it('FR-011 the last chunk gets our own counts if they were requested and not reported', () => {
  const payloads = [JSON.stringify(chunk({ content: 'a' })), JSON.stringify(chunk({}, 'stop')), '[DONE]'];
  const withUsage = { stream_options: { include_usage: true } };
  expect(through(payloads, withUsage, false).join('')).not.toContain('[DONE]');
  for (const frames of [through(payloads, withUsage, true), through(payloads, {}, false)])
    expect(frames.at(-1)).toBe('data: [DONE]\n\n');
  const end = usageAndDone(head, { inputTokens: 3, outputTokens: 4, source: 'estimated' });
  expect(end.split('\n\n')).toEqual([expect.stringContaining('"choices":[],"usage":{'), 'data: [DONE]', '']);
  expect(parsed([end.split('\n\n')[0] ?? ''])[0]).toMatchObject({
    id: head.id,
    object: 'chat.completion.chunk',
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, estimated: true },
  });
});

it('SC-010: whatever the text and whatever the order of keys', () => {
  const member = fc.tuple(
    fc.constantFrom('content', 'reasoning_content', 'usage', 'error'),
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"usage"', '\n\ndata: x', '"finish_reason":null')),
  );
  fc.assert(
    fc.property(fc.array(member), fc.boolean(), (members, turned) => {
      const theirs = members.map(([key, text]) => chunk({ [key]: text }));
      const payloads = theirs.map((one) =>
        JSON.stringify(turned ? Object.fromEntries(Object.entries(one).reverse()) : one),
      );
      expect(parsed(through([...payloads, JSON.stringify(chunk({}, 'stop'))]))).toEqual(
        [...theirs, chunk({}, 'stop')].map(own),
      );
    }),
  );
});

it('usage in every chunk is removed if it was not requested', () => {
  const theirs = ['a', 'b'].map((text) => chunk({ content: text }, null, { usage: { prompt_tokens: 1 } }));
  expect(parsed(through([...theirs.map((one) => JSON.stringify(one)), '[DONE]']))).toEqual(
    ['a', 'b'].map((text) => own(chunk({ content: text }))),
  );
});

it('security 28: a payload of several lines stays one frame', () => {
  const frames = through([
    JSON.stringify(chunk({ content: 'a' })),
    JSON.stringify(chunk({ content: 'b' })).replace('"choices":[', '"choices":[\n'),
    '[DONE]',
  ]);
  expect(frames.every((frame) => frame.indexOf('\n\n') === frame.length - 2)).toBe(true);
  expect(parsed(frames)).toHaveLength(2);
});

it('an error event, a cut and a broken chunk end with one fault and no [DONE]', () => {
  const text = JSON.stringify(chunk({ content: 'a' }));
  const faultOf = (payloads: string[], fault?: Fault): Fault | undefined => {
    const ran = runSync(
      passthroughStream(turn(), head, () => false),
      payloads,
      fault,
    );
    expect(ran.out.join('')).not.toContain('[DONE]');
    return ran.fault;
  };
  expect(faultOf([text, '{"error":{"message":"boom"}}', '[DONE]'])).toMatchObject({
    code: 'upstream_error',
    message: expect.stringContaining('boom'),
  });
  expect(faultOf([text])?.code).toBe('upstream_cut_off');
  expect(faultOf([text, '{"choices":'])?.code).toBe('upstream_invalid_answer');
  expect(faultOf([text], new Fault('upstream_timeout'))?.code).toBe('upstream_timeout');
});

it('a whole response keeps everything but model name and id', () => {
  const whole = {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'org/model',
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
    prompt_logprobs: null,
  };
  expect(passthroughWhole(whole, head)).toEqual({ ...whole, id: head.id, model: head.model });
  expect(() => passthroughWhole({ choices: 1 }, head)).toThrow(Fault);
  expect(() => passthroughWhole({ error: 'x' }, head)).toThrow(Fault);
});
