import { describe, expect, it } from 'vitest';
import { apiKey, testProxy } from './test-proxy.ts';
import { type Behavior, call, chunk, done, json, role, stream, testUpstream, text } from './test-upstream.ts';

/** What an answer comes to, whatever API says it. */
interface Answer {
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  readonly text: string;
  readonly reasoning: string;
  readonly finish: 'stop' | 'tool_calls' | 'length';
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number };
}

/** What the model says, before a strategy gives it a form. */
interface ModelOutput {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly (readonly [name: string, args: string])[];
  /** The answer ends in the middle of its last call. */
  readonly cut?: true;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of four APIs, read as they come.
type Json = any;

const upstream = await testUpstream();
const baseUrls = [upstream.baseUrl];
const proxy = await testProxy([
  { name: 'native', strategy: 'native', baseUrls },
  { name: 'prompt', strategy: 'prompt', dialect: 'hermes', baseUrls },
  { name: 'strict', strategy: 'strict', baseUrls },
  { name: 'auto', strategy: 'auto', baseUrls },
]);

const counts = { prompt_tokens: 40, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 16 } };
const usage = { input: 40, cached: 16, output: 9 };

const scenarios: Record<string, { readonly output: ModelOutput; readonly answer: Partial<Answer> }> = {
  'one call': {
    output: { calls: [['look', '{"at": "a.txt", "id": 12345678901234567890}']] },
    answer: {
      calls: [{ name: 'look', args: '{"at": "a.txt", "id": 12345678901234567890}' }],
      text: '',
      finish: 'tool_calls',
    },
  },
  parallel: {
    output: {
      calls: [
        ['look', '{"at":"a.txt"}'],
        ['look', '{"at":"b.txt"}'],
        ['go', '{}'],
      ],
    },
    answer: {
      calls: [
        { name: 'look', args: '{"at":"a.txt"}' },
        { name: 'look', args: '{"at":"b.txt"}' },
        { name: 'go', args: '{}' },
      ],
      finish: 'tool_calls',
    },
  },
  'text and call': {
    output: { text: 'I will "look"\nat it.', calls: [['look', '{"at":"a.txt"}']] },
    answer: { calls: [{ name: 'look', args: '{"at":"a.txt"}' }], text: 'I will "look"\nat it.', finish: 'tool_calls' },
  },
  'reasoning and call': {
    output: { reasoning: 'Let me see… 🤔', calls: [['look', '{"at":"a.txt"}']] },
    answer: { calls: [{ name: 'look', args: '{"at":"a.txt"}' }], reasoning: 'Let me see… 🤔', finish: 'tool_calls' },
  },
  'tool error': {
    output: { text: 'There is no such file.' },
    answer: { calls: [], text: 'There is no such file.', finish: 'stop' },
  },
  'D-1 cut': {
    output: {
      text: 'I look.',
      calls: [
        ['look', '{"at":"a.txt"}'],
        ['look', '{"at":"a long pl'],
      ],
      cut: true,
    },
    answer: { calls: [{ name: 'look', args: '{"at":"a.txt"}' }], text: 'I look.', finish: 'tool_calls' },
  },
  'D-1 cut, alone': {
    output: { text: 'I look.', calls: [['look', '{"at":"a long pl']], cut: true },
    answer: { calls: [], text: 'I look.', finish: 'length' },
  },
};

/** How a server says it, streamed or whole, natively or in the model's own text. */
function replyWith(output: ModelOutput, strategy: string): Behavior {
  const { reasoning, text: content = '', calls = [], cut } = output;
  const native = strategy !== 'prompt';
  const written = calls.map(([name, args], at) =>
    cut && at === calls.length - 1
      ? `<tool_call>\n{"name": "${name}", "arguments": ${args}`
      : `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`,
  );
  const all = native ? content : [content, ...written].filter((part) => part !== '').join('\n');
  const finish = cut ? 'length' : native && calls.length > 0 ? 'tool_calls' : 'stop';
  return (response, received) => {
    if (received.body.stream !== true) {
      const message = {
        role: 'assistant',
        content: all === '' ? null : all,
        ...(reasoning !== undefined && { reasoning_content: reasoning }),
        ...(native &&
          calls.length > 0 && {
            tool_calls: calls.map(([name, args], at) => ({
              id: `u${at}`,
              type: 'function',
              function: { name, arguments: args },
            })),
          }),
      };
      return json(200, {
        id: 'up',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage: counts,
      })(response, received);
    }
    const pieces = (whole: string): string[] => whole.match(/[\s\S]{1,5}/gu) ?? [];
    return stream(
      role,
      ...pieces(reasoning ?? '').map((piece) => chunk({ reasoning_content: piece })),
      ...pieces(all).map(text),
      ...(native ? calls : []).flatMap(([name, args], at) => [
        call(at, name, ''),
        ...pieces(args).map((piece) => call(at, undefined, piece)),
      ]),
      chunk({}, finish),
      `data: ${JSON.stringify({ id: 'up', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: counts })}\n\n`,
      done,
    )(response, received);
  };
}

/** One way to ask and to read the answer. */
interface Api {
  path(model: string, streams: boolean): string;
  body(model: string, failed: boolean): object;
  whole(answer: Json): Answer;
  /** The events of a stream as the whole answer that they make. */
  fold(events: readonly Json[]): Json;
}

const look = { type: 'object', properties: { at: { type: 'string' }, id: { type: 'integer' } } };
const go = { type: 'object', properties: {} };

const chat: Api = {
  path: () => '/v1/chat/completions',
  body: (model, failed) => ({
    model,
    max_tokens: 500,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Look.' },
      ...(failed
        ? [
            {
              role: 'assistant',
              content: 'I look.',
              tool_calls: [{ id: 'past', type: 'function', function: { name: 'look', arguments: '{"at":"none"}' } }],
            },
            { role: 'tool', tool_call_id: 'past', content: 'Error: no such file' },
          ]
        : []),
    ],
    tools: Object.entries({ look, go }).map(([name, parameters]) => ({
      type: 'function',
      function: { name, parameters },
    })),
    stream_options: { include_usage: true },
  }),
  whole: ({ choices: [{ message, finish_reason: finish }], usage: used }) => ({
    calls: (message.tool_calls ?? []).map((one: Json) => ({ name: one.function.name, args: one.function.arguments })),
    text: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    finish,
    usage: {
      input: used.prompt_tokens,
      cached: used.prompt_tokens_details.cached_tokens,
      output: used.completion_tokens,
    },
  }),
  fold(events) {
    const message: Json = { content: '', reasoning_content: '', tool_calls: [] };
    let finish: string | null = null;
    for (const { choices } of events)
      for (const { delta, finish_reason: reason } of choices) {
        message.content += delta.content ?? '';
        message.reasoning_content += delta.reasoning_content ?? '';
        for (const { index, function: functionDelta } of delta.tool_calls ?? []) {
          message.tool_calls[index] ??= { function: { name: functionDelta.name, arguments: '' } };
          message.tool_calls[index].function.arguments += functionDelta.arguments;
        }
        finish ??= reason;
      }
    return { choices: [{ message, finish_reason: finish }], usage: events.at(-1).usage };
  },
};

const responses: Api = {
  path: () => '/v1/responses',
  body: (model, failed) => ({
    model,
    max_output_tokens: 500,
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: 'Look.' },
      ...(failed
        ? [
            { role: 'assistant', content: 'I look.' },
            { type: 'function_call', call_id: 'past', name: 'look', arguments: '{"at":"none"}' },
            { type: 'function_call_output', call_id: 'past', output: 'Error: no such file' },
          ]
        : []),
    ],
    tools: Object.entries({ look, go }).map(([name, parameters]) => ({ type: 'function', name, parameters })),
  }),
  whole({ output, usage: used, incomplete_details: incomplete }) {
    const calls = output.filter(({ type }: Json) => type === 'function_call');
    const texts = (type: string, member: string): string =>
      output
        .filter((item: Json) => item.type === type)
        .flatMap((item: Json) => item[member])
        .map((part: Json) => part.text)
        .join('');
    return {
      calls: calls.map(({ name, arguments: args }: Json) => ({ name, args })),
      text: texts('message', 'content'),
      reasoning: texts('reasoning', 'content'),
      finish: calls.length > 0 ? 'tool_calls' : incomplete ? 'length' : 'stop',
      usage: { input: used.input_tokens, cached: used.input_tokens_details.cached_tokens, output: used.output_tokens },
    };
  },
  fold: (events) => events.at(-1).response,
};

const finishes: Record<string, Answer['finish']> = { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length' };

const messages: Api = {
  path: () => '/v1/messages',
  body: (model, failed) => ({
    model,
    max_tokens: 500,
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'Look.' },
      ...(failed
        ? [
            {
              role: 'assistant',
              content: [
                { type: 'text', text: 'I look.' },
                { type: 'tool_use', id: 'past', name: 'look', input: { at: 'none' } },
              ],
            },
            {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: 'past', is_error: true, content: 'no such file' }],
            },
          ]
        : []),
    ],
    tools: Object.entries({ look, go }).map(([name, schema]) => ({ name, input_schema: schema })),
  }),
  whole({ content, stop_reason: stop, usage: used }) {
    const of = (type: string): Json[] => content.filter((block: Json) => block.type === type);
    return {
      calls: of('tool_use').map(({ name, input }) => ({ name, args: input })),
      text: of('text')
        .map((block) => block.text)
        .join(''),
      reasoning: of('thinking')
        .map(({ thinking }) => thinking)
        .join(''),
      finish: finishes[stop] as Answer['finish'],
      usage: {
        input: used.input_tokens + used.cache_read_input_tokens,
        cached: used.cache_read_input_tokens,
        output: used.output_tokens,
      },
    };
  },
  fold(events) {
    const content: Json[] = [];
    let message: Json;
    for (const event of events) {
      if (event.type === 'message_start') message = { ...event.message, content };
      else if (event.type === 'content_block_start') content.push({ ...event.content_block });
      else if (event.type === 'message_delta') Object.assign(message, event.delta, { usage: event.usage });
      else if (event.type === 'content_block_delta') {
        const block = content[event.index];
        const { type, text: textDelta, thinking, partial_json: input } = event.delta;
        if (type === 'text_delta') block.text += textDelta;
        else if (type === 'thinking_delta') block.thinking += thinking;
        else if (type === 'input_json_delta') block.input = input;
      }
    }
    return message;
  },
};

const gemini: Api = {
  path: (model, streams) => `/v1beta/models/${model}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (_, failed) => ({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Look.' }] },
      ...(failed
        ? [
            {
              role: 'model',
              parts: [{ text: 'I look.' }, { functionCall: { id: 'past', name: 'look', args: { at: 'none' } } }],
            },
            {
              role: 'user',
              parts: [{ functionResponse: { id: 'past', name: 'look', response: { error: 'no such file' } } }],
            },
          ]
        : []),
    ],
    tools: [
      {
        functionDeclarations: Object.entries({ look, go }).map(([name, parametersJsonSchema]) => ({
          name,
          parametersJsonSchema,
        })),
      },
    ],
    generationConfig: { maxOutputTokens: 500, thinkingConfig: { includeThoughts: true } },
  }),
  whole({ candidates: [{ content, finishReason }], usageMetadata: used }) {
    const calls = content.parts.flatMap((part: Json) => part.functionCall ?? []);
    const texts = (thought: boolean): string =>
      content.parts.map((part: Json) => ((part.thought ?? false) === thought ? (part.text ?? '') : '')).join('');
    return {
      calls: calls.map(({ name, args }: Json) => ({ name, args })),
      text: texts(false),
      reasoning: texts(true),
      finish: finishReason === 'MAX_TOKENS' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
      usage: {
        input: used.promptTokenCount,
        cached: used.cachedContentTokenCount,
        output: used.candidatesTokenCount,
      },
    };
  },
  fold(events) {
    const parts = events.flatMap(({ candidates }) => candidates[0].content.parts);
    const { candidates, usageMetadata } = events.at(-1);
    return { candidates: [{ ...candidates[0], content: { parts } }], usageMetadata };
  },
};

interface AskOptions {
  readonly failed: boolean;
  readonly streams: boolean;
}

const send = (api: Api, model: string, { failed, streams }: AskOptions): Promise<Response> =>
  fetch(proxy.url + api.path(model, streams), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ ...api.body(model, failed), stream: streams }),
  });

async function ask(api: Api, model: string, options: AskOptions): Promise<Answer> {
  const { streams } = options;
  const response = await send(api, model, options);
  const responseText = await response.text();
  expect(response.status, responseText).toBe(200);
  if (!streams) return api.whole(JSON.parse(responseText));
  const events = [...responseText.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  expect(JSON.stringify(events), responseText).not.toContain('"error":{');
  return api.whole(api.fold(events));
}

/** Arguments as a value: one API carries them as an object, and a double holds no more digits there. */
const read = ({ calls, ...answer }: Partial<Answer>): object => ({
  ...answer,
  calls: calls?.map(({ name, args }) => ({ name, args: typeof args === 'string' ? JSON.parse(args) : args })),
});

describe.each(['native', 'strict', 'prompt'])('%s', (strategy) => {
  describe.each(Object.entries(scenarios))('%s', (name, { output, answer }) => {
    it.each([
      ['chat, whole', chat, false],
      ['chat, streamed', chat, true],
      ['responses, whole', responses, false],
      ['responses, streamed', responses, true],
      ['messages, whole', messages, false],
      ['messages, streamed', messages, true],
      ['gemini, whole', gemini, false],
      ['gemini, streamed', gemini, true],
    ] as const)('is the same by %s', async (_, api, streams) => {
      upstream.behave(replyWith(output, strategy));
      const got = await ask(api, strategy, { failed: name === 'tool error', streams });
      expect(read(got)).toMatchObject(read({ ...answer, usage }));
    });
  });

  it('a conversation with a failed call goes upstream the same by every API', async () => {
    const sent: unknown[] = [];
    for (const api of [chat, responses, messages, gemini]) {
      upstream.behave(replyWith({ text: 'ok' }, strategy));
      await ask(api, strategy, { failed: true, streams: false });
      sent.push(upstream.received.at(-1)?.body.messages);
    }
    expect(JSON.stringify(sent[0])).toContain('Error: no such file');
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[2]).toEqual(sent[0]);
    expect(sent[3]).toEqual(sent[0]);
  });
});

const ways = Object.entries({ chat, responses, messages, gemini }).flatMap(([name, api]) =>
  [false, true].map((streams) => [`${name}, ${streams ? 'streamed' : 'whole'}`, api, streams] as const),
);

describe.each(['auto', 'native', 'strict', 'prompt'])('a faultless model at its defaults, %s', (strategy) => {
  it.each(ways)(
    'by %s: one request, and not a byte more than where nothing is ever asked again',
    async (_, api, streams) => {
      const once = async (output: ModelOutput, failed: boolean) => {
        upstream.behave(replyWith(output, strategy));
        const reply = await send(api, strategy, { failed, streams });
        const text = await reply.text();
        const sent = upstream.received.map(({ url, text: body }) => `${url} ${body}`);
        // What is drawn or told by the clock.
        const normalized = text.replace(/"(\w*id|created\w*|completed_at|responseId)":(?:"[^"]*"|\d+)/g, '"$1":0');
        return { status: reply.status, sent, normalized };
      };
      for (const name of ['text and call', 'parallel', 'tool error']) {
        const { output } = scenarios[name] as { output: ModelOutput };
        const failed = name === 'tool error';
        const byDefault = await once(output, failed);
        proxy.snapshot.change(strategy, { maxCorrections: { value: 0, source: 'declared' } });
        const without = await once(output, failed);
        proxy.snapshot.change(strategy, { maxCorrections: { value: 1, source: 'default' } });
        expect(byDefault).toEqual(without);
        expect([byDefault.status, byDefault.sent.length]).toEqual([200, 1]);
      }
    },
  );
});
