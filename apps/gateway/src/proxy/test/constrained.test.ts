import { readFileSync } from 'node:fs';
import type { UpstreamKind } from '@callsmith/turn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postJson, startProxy, type TestModel, type TestProxy } from './test-proxy.ts';
import { type Behavior, startUpstream, type TestUpstream } from './test-upstream.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 80 }, unit: { enum: ['celsius', 'kelvin'] } },
  required: ['city'],
};
const closed = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const tool = (schema: object) => ({ type: 'function', function: { name: 'weather', parameters: schema } });
const defaultBody = {
  messages: [{ role: 'user', content: 'How is the weather in Köln?' }],
  tools: [tool(parameters)],
};

let upstream: TestUpstream;
let proxy: TestProxy;
let count = 0;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(async () => {
  await upstream.close();
});

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const whole =
  (message: object, finish = 'stop'): Behavior =>
  (response) => {
    response.setHeader('content-type', 'application/json');
    const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }];
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices, usage }));
  };
const replyWith = (content: string): Behavior => whole({ content });
const nativeCall = (args: string): Behavior =>
  whole(
    {
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: args } }],
    },
    'tool_calls',
  );
const refuses =
  (status: number, message: string): Behavior =>
  (response) => {
    response.statusCode = status;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ error: { message, type: 'BadRequestError', code: status } }));
  };

/** A proxy with one model of its own, set to `strict` and asked by chat completions unless told otherwise. */
async function model(settings: Partial<TestModel>): Promise<string> {
  const name = `m${++count}`;
  const fullSettings = { ...settings, upstream: { api: 'chat', ...settings.upstream } } as const;
  proxy = await startProxy([{ name, strategy: 'strict', baseUrls: [upstream.baseUrl], ...fullSettings }]);
  return name;
}

interface Answer {
  readonly choices: {
    readonly message: { readonly tool_calls: { readonly function: { name: string; arguments: string } }[] };
  }[];
}

async function ask(name: string, body: object = {}): Promise<{ status: number; answer: Answer }> {
  const reply = await postJson(proxy, '/v1/chat/completions', { model: name, ...defaultBody, ...body });
  return { status: reply.status, answer: (await reply.json()) as Answer };
}

const change = (name: string, route: object): void => {
  const entry = proxy.snapshot.model(name);
  proxy.snapshot.change(name, { routes: entry!.routes.map((one) => ({ ...one, ...route })) });
};
/** What was asked of the model; the tokenizer may be asked beside it. */
const sent = () => upstream.received.filter(({ url }) => url.endsWith('/chat/completions')).map(({ body }) => body);
/** Each once: a second try may show the same. */
const learned = () => [...new Map(proxy.snapshot.learned.map(({ what, value }) => [what, value]))];

interface Recorded {
  readonly case: string;
  readonly kind: UpstreamKind;
  readonly version: string;
  readonly dialect?: string;
  readonly noTools?: boolean;
  readonly ignores?: readonly string[];
  readonly reasoningPrefilled?: boolean;
  readonly ask?: object;
  /** What the request holds beside model, messages and stream; null: it must not be there. */
  readonly request: Record<string, unknown>;
}

const recorded = JSON.parse(
  readFileSync(new URL('./constrained-requests.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

describe('H-8 what is sent to an engine under strict', () => {
  it.each(
    recorded.map((recording) => [`${recording.kind} ${recording.version}: ${recording.case}`, recording] as const),
  )('%s', async (_, recording) => {
    const name = await model({
      kind: recording.kind,
      upstream: { engineVersion: recording.version },
      ...(recording.dialect && { dialect: recording.dialect }),
    });
    change(name, {
      ...(recording.noTools && { nativeTools: false }),
      constraints: Object.fromEntries((recording.ignores ?? []).map((field) => [field, false])),
    });
    if (recording.reasoningPrefilled !== undefined)
      proxy.snapshot.change(name, { reasoningPrefilled: { value: recording.reasoningPrefilled, source: 'declared' } });
    upstream.behave(replyWith('Sunny.'));
    await ask(name, recording.ask);
    const { model: _m, messages: _t, stream: _s, ...rest } = sent()[0] ?? {};
    expect(rest).toEqual(recording.request);
    await proxy.close();
  });
});

describe('H-8 an engine under strict', () => {
  it('is recorded as strict, with the request as it was sent', async () => {
    const name = await model({});
    upstream.behave(nativeCall('{"city":"Köln"}'));
    const { answer } = await ask(name);
    expect(answer.choices[0]?.message.tool_calls[0]?.function.arguments).toBe('{"city":"Köln"}');
    expect(proxy.recorder.turns[0]).toMatchObject({ strategy: 'strict', strategyUsed: 'strict', outcome: 'clean' });
    expect(proxy.recorder.turns[0]?.body?.upstreamRequest).toContain('"strict":true');
    expect(learned()).toEqual([]);
    await proxy.close();
  });

  it('parses the call that its dialect is constrained to, whole and streamed', async () => {
    const name = await model({ dialect: 'hermes' });
    change(name, { nativeTools: false });
    const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Köln"}}\n</tool_call>';
    upstream.behave(replyWith(`I look.\n${call}`));
    const { answer } = await ask(name);
    expect(answer.choices[0]?.message.tool_calls).toHaveLength(1);
    expect(proxy.recorder.turns[0]).toMatchObject({ strategyUsed: 'strict', outcome: 'clean', dialect: 'hermes' });
    await proxy.close();
  });

  it.each(['ollama', 'lmstudio'] as const)('%s answers with the call as JSON if one is required', async (kind) => {
    const name = await model({ kind, dialect: 'qwen3-coder-xml' });
    change(name, { nativeTools: false });
    upstream.behave(replyWith('{"name": "weather", "arguments": {"city": "Köln"}}'));
    const { answer } = await ask(name, { tool_choice: 'required' });
    expect(answer.choices[0]?.message.tool_calls[0]?.function).toEqual({
      name: 'weather',
      arguments: '{"city": "Köln"}',
    });
    await proxy.close();
  });

  it.each([
    [400, 'Invalid structural tag spec: unknown style'],
    [400, 'Grammar error: The schema is not supported'],
    [500, 'Internal server error'],
  ])(
    'that fails with its grammar (%i %s) gets the request without it, and that is learned',
    async (status, message) => {
      const name = await model({ dialect: 'hermes' });
      change(name, { nativeTools: false });
      upstream.behave(refuses(status, message), replyWith('Sunny.'));
      const { status: ended } = await ask(name);
      expect(ended).toBe(200);
      expect(sent().map((body) => body.structured_outputs !== undefined)).toEqual([true, false]);
      expect(proxy.recorder.turns[0]).toMatchObject({ strategyUsed: 'prompt', attempts: 2 });
      expect(learned()[0]?.[0]).toMatch(/^retreat:unconstrained/);
      upstream.behave(replyWith('Sunny.'));
      await ask(name);
      expect(sent().map((body) => body.structured_outputs !== undefined)).toEqual([false]);
      await proxy.close();
    },
  );

  it('that refuses tools is constrained to calls in the prompt within the same request', async () => {
    const name = await model({ dialect: 'hermes' });
    upstream.behave(
      refuses(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
      replyWith('<tool_call>\n{"name": "weather", "arguments": {"city": "Köln"}}\n</tool_call>'),
    );
    await ask(name);
    expect(sent().map((body) => [body.tools !== undefined, body.structured_outputs !== undefined])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(learned()).toEqual([['native-tools', false]]);
    await proxy.close();
  });

  it('that does not know the field gets the request without it', async () => {
    const name = await model({ dialect: 'hermes' });
    change(name, { nativeTools: false });
    upstream.behave(refuses(400, 'Unknown parameter: structured_outputs'), replyWith('Sunny.'));
    const { status } = await ask(name);
    expect(status).toBe(200);
    expect(sent()[1]).not.toHaveProperty('structured_outputs');
    expect(learned()).toEqual([['parameter:structured_outputs', false]]);
    await proxy.close();
  });
});

describe('D-37 a constraint that is accepted and ignored', () => {
  it.each([
    ['arguments that break the schema', '{"city":7}'],
    ['a required argument that is missing', '{"unit":"kelvin"}'],
    ['a value that is not one of the list', '{"city":"Köln","unit":"feet"}'],
    ['broken JSON', '{"city":"Köln",}'],
  ])('is detected in native calls by %s', async (_, args) => {
    const name = await model({});
    upstream.behave(nativeCall(args));
    await ask(name);
    expect(learned()).toEqual([['constraint:strict', false]]);
    await proxy.close();
  });

  it('is detected in a call of the dialect, and the next request uses another field', async () => {
    const name = await model({ dialect: 'hermes' });
    change(name, { nativeTools: false });
    upstream.behave(replyWith('<tool_call>\n{"name": "weather", "arguments": {"unit": "kelvin"}}\n</tool_call>'));
    await ask(name);
    expect(learned()).toEqual([['constraint:structured_outputs', false]]);
    upstream.behave(replyWith('Sunny.'));
    await ask(name);
    expect(sent()[0]).toHaveProperty('response_format.type', 'structural_tag');
    await proxy.close();
  });

  it('is not inferred from what only the gateway’s own check knows, from a cut response, or from a call of another form', async () => {
    const long = `{"city":"${'K'.repeat(200)}"}`;
    for (const behaviour of [
      nativeCall(long),
      whole({ content: '<tool_call>\n{"name": "weather", "arguments": {"city": 7' }, 'length'),
      replyWith('Sunny, without any call.'),
    ]) {
      const name = await model({ dialect: 'hermes' });
      upstream.behave(behaviour);
      await ask(name);
      expect(learned().filter(([what]) => String(what).startsWith('constraint'))).toEqual([]);
      await proxy.close();
    }
  });

  it('is detected if a required call does not come', async () => {
    const name = await model({ dialect: 'hermes' });
    change(name, { nativeTools: false });
    upstream.behave(replyWith('Sunny.'));
    await ask(name, { tool_choice: 'required' });
    expect(learned()).toContainEqual(['constraint:structured_outputs', false]);
    await proxy.close();
  });
});

describe('under the other strategies', () => {
  it.each(['auto', 'native', 'prompt'] as const)('%s sends no constraint', async (strategy) => {
    const name = await model({ strategy, dialect: 'hermes' });
    upstream.behave(replyWith('Sunny.'));
    await ask(name, { tools: [tool(closed)] });
    expect(sent()).toHaveLength(1);
    expect(JSON.stringify(sent()[0])).not.toMatch(/strict|structured_outputs|grammar|response_format/);
    await proxy.close();
  });

  it.each([true, undefined])(
    'a correction is constrained to its tool if the engine is known to enforce that (%s)',
    async (heeds) => {
      const name = await model({ strategy: 'prompt', dialect: 'hermes' });
      change(name, { ...(heeds && { constraints: { structured_outputs: true } }) });
      const call = (args: string) => replyWith(`<tool_call>\n{"name": "weather", "arguments": ${args}}\n</tool_call>`);
      upstream.behave(call('{"unit": "kelvin"}'), call('{"city": "Köln"}'));
      const { answer } = await ask(name);
      expect(answer.choices[0]?.message.tool_calls[0]?.function.arguments).toBe('{"city": "Köln"}');
      const held = sent().map(({ structured_outputs }) => JSON.stringify(structured_outputs ?? null));
      expect(held).toEqual(['null', heeds ? expect.stringMatching(/at_least_one.*stop_after_first/) : 'null']);
      await proxy.close();
    },
  );

  it('a client’s own constraint is not replaced', async () => {
    const name = await model({ dialect: 'hermes' });
    change(name, { nativeTools: false });
    upstream.behave(replyWith('Sunny.'));
    await ask(name, { structured_outputs: { regex: 'S.*' } });
    expect(sent()[0]?.structured_outputs).toEqual({ regex: 'S.*' });
    await proxy.close();
  });
});
