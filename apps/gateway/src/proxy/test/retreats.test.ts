import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Breaker } from '../attempts/breaker.ts';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';
import {
  type Behavior,
  call,
  chunk,
  done,
  json,
  role,
  startUpstream,
  stream,
  testUpstream,
  text,
} from './test-upstream.ts';

const upstream = await testUpstream();
let proxy: TestProxy;

beforeEach(async () => {
  const baseUrls = [upstream.baseUrl];
  proxy = await startProxy(
    [
      { name: 'm', baseUrls },
      { name: 'set', strategy: 'native', baseUrls },
      { name: 'ollama', strategy: 'native', kind: 'ollama', upstream: { api: 'chat' }, baseUrls },
    ],
    // One outage is enough to see it.
    { breaker: new Breaker({ failures: 1, restMs: 60_000 }) },
  );
});
afterEach(() => proxy.close());

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Body = Record<string, any>;

const parameters = {
  type: 'object',
  properties: { path: { type: 'string', maxLength: 2000, pattern: '^/' } },
  required: ['path'],
};
const tools = ['read', 'write'].map((name) => ({ type: 'function', function: { name, parameters } }));
const named = { type: 'function', function: { name: 'read' } };
const messages = [{ role: 'user', content: 'Read /a.txt' }];

const bodies = (): Body[] =>
  upstream.received.filter(({ url }) => /\/(?:chat\/completions|responses)$/.test(url)).map(({ body }) => body);

async function ask(more: object): Promise<Response> {
  return postJson(proxy, '/v1/chat/completions', { model: 'm', messages, tools, ...more });
}

const usage = { prompt_tokens: 1, completion_tokens: 1 };
const counted = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;

/** An answer, in the form that was asked for. */
const answer =
  (message: Body): Behavior =>
  (response, received) => {
    const calls = (message.tool_calls ?? []) as Body[];
    const textChunks = message.content ? [text(message.content)] : [];
    const made = calls.map((one, at) => call(at, one.function.name, one.function.arguments));
    const finish = calls.length > 0 ? 'tool_calls' : 'stop';
    if (received.body.stream)
      return stream(role, ...textChunks, ...made, chunk({}, finish), counted, done)(response, received);
    return json(200, {
      usage,
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    })(response, received);
  };
const reads = {
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"/a.txt"}' } }],
};

/** How engines put an error: its form, and whether it comes with its status or behind a 200. */
const wraps = {
  nested: (message: string, code: number): object => ({
    error: { message, type: 'BadRequestError', param: null, code },
  }),
  'a text': (message: string, _: number): object => ({ error: message }),
  detail: (detail: string, _: number): object => ({ detail }),
  flat: (message: string, code: number): object => ({ object: 'error', message, type: 'BadRequestError', code }),
};
const failing = (message: string, status: number, wrap: keyof typeof wraps = 'nested'): Behavior =>
  json(status, wraps[wrap](message, status));
const failingInStream = (message: string, code: number): Behavior =>
  stream(role, `data: ${JSON.stringify({ error: { message, type: 'InternalServerError', code } })}\n\n`, done);
const failingIn200 = (message: string, code: number): Behavior => json(200, { error: { message, code } });

/** Fails as long as `body` is not in a form that it takes. */
const until =
  (takes: (body: Body) => boolean, failure: Behavior, good: Behavior): Behavior =>
  (response, received) =>
    (takes(received.body) ? good : failure)(response, received);

interface Case {
  readonly engine: string;
  readonly status: number;
  readonly message: string;
  /** Members of the client’s request, besides the default model, messages and tools. */
  readonly requestBody?: object;
  /** What the engine can do. */
  readonly takes: (body: Body) => boolean;
  /** Upstream requests in all. */
  readonly requests: number;
  /** What is learned. */
  readonly learned: readonly string[];
}

const byPrompt = ({ tools, messages }: Body): boolean => tools === undefined && messages[0].role === 'system';
const hasConstraint = ({ tools = [], tool_choice, response_format }: Body): boolean =>
  response_format !== undefined ||
  (tool_choice !== undefined && tool_choice !== 'auto') ||
  tools.some((tool: Body) => tool.function.strict !== undefined);
const isSimple = (body: Body): boolean => !JSON.stringify(body.tools ?? []).includes('maxLength');
const history = [
  ...messages,
  {
    role: 'assistant',
    content: null,
    tool_calls: ['a', 'b'].map((id) => ({
      id,
      type: 'function',
      function: { name: 'read', arguments: `{"path":"/${id}"}` },
    })),
  },
  { role: 'tool', tool_call_id: 'a', content: 'A' },
  { role: 'tool', tool_call_id: 'b', content: 'B' },
];
const systems = [{ role: 'system', content: 'First.' }, ...messages, { role: 'system', content: 'Second.' }];
const refusesTools = { takes: byPrompt, requests: 2, learned: ['native-tools'] };
const poisoned = { takes: byPrompt, requests: 3, learned: [/^retreat:prompt:/] };
const lostByParser = { takes: byPrompt, requests: 2, learned: [] };
const strict = { tools: tools.map((tool) => ({ ...tool, function: { ...tool.function, strict: true } })) };

const cases: (Omit<Case, 'learned'> & { learned: readonly (string | RegExp)[] })[] = [
  // T
  {
    engine: 'vLLM',
    status: 400,
    message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    ...refusesTools,
  },
  {
    engine: 'vLLM',
    status: 400,
    message: 'tool_choice="required" requires --tool-call-parser to be set',
    requestBody: { tool_choice: 'required' },
    ...refusesTools,
  },
  {
    engine: 'vLLM',
    status: 400,
    message:
      "[{'type': 'extra_forbidden', 'loc': ('body', 'tools'), 'msg': 'Extra inputs are not permitted', 'input': [{}]}]",
    ...refusesTools,
  },
  {
    engine: 'vLLM',
    status: 400,
    message:
      "1 validation error:\n  {'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, Currently only named tools are supported.', 'input': {'model': 'm'}}",
    ...refusesTools,
  },
  { engine: 'llama.cpp', status: 500, message: 'tools param requires --jinja flag', ...refusesTools },
  { engine: 'llama.cpp', status: 500, message: 'Unsupported param: tools', ...refusesTools },
  {
    engine: 'Ollama',
    status: 400,
    message: 'registry.ollama.ai/library/gemma:2b does not support tools',
    ...refusesTools,
  },
  {
    engine: 'OpenRouter',
    status: 404,
    message: 'No endpoints found that support tool use. To learn more about provider routing, visit: https://…',
    ...refusesTools,
  },
  // C
  {
    engine: 'LM Studio',
    status: 400,
    message: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
    requestBody: { tool_choice: named },
    takes: ({ tools, tool_choice }) => tool_choice === 'required' && tools.length === 1,
    requests: 2,
    learned: ['retreat:named-tool'],
  },
  {
    engine: 'DeepSeek',
    status: 400,
    message: 'Thinking mode does not support this tool_choice',
    requestBody: { tool_choice: named },
    takes: ({ tools, tool_choice, messages }) =>
      tool_choice === undefined && tools?.length === 1 && /must call at least one tool/.test(messages[0].content),
    requests: 3,
    learned: ['retreat:named-tool', 'retreat:no-tool-choice'],
  },
  {
    engine: 'OpenRouter',
    status: 404,
    message: "No endpoints found that support the provided 'tool_choice' value. To learn more …",
    requestBody: { tool_choice: 'required' },
    takes: ({ tools, tool_choice, messages }) =>
      tool_choice === undefined && tools.length === 2 && /must call at least one tool/.test(messages[0].content),
    requests: 2,
    learned: ['retreat:no-tool-choice'],
  },
  {
    engine: 'DeepSeek',
    status: 400,
    message: 'Thinking mode does not support this tool_choice',
    requestBody: { tool_choice: 'auto' },
    takes: ({ tools, tool_choice, messages }) =>
      tool_choice === undefined && tools.length === 2 && messages.length === 1,
    requests: 2,
    learned: ['retreat:no-tool-choice'],
  },
  // G
  {
    engine: 'vLLM',
    status: 400,
    message: 'The provided JSON schema contains features not supported by xgrammar.',
    requestBody: { tool_choice: 'required' },
    takes: isSimple,
    requests: 2,
    learned: [/^retreat:simple-schemas:[0-9a-f]{12}$/],
  },
  {
    engine: 'SGLang',
    status: 400,
    message: 'Failed to compile structural_tag grammar: unknown',
    requestBody: strict,
    takes: (body) => !hasConstraint(body),
    requests: 3,
    learned: [/^retreat:simple-schemas:/, /^retreat:unconstrained:/],
  },
  { engine: 'llama.cpp', status: 400, message: 'Failed to initialize samplers: failed to parse grammar', ...poisoned },
  {
    engine: 'llama.cpp',
    status: 500,
    message:
      'Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed:\nUnrecognized schema: {"type":"blob"}',
    ...poisoned,
  },
  // D
  {
    engine: 'llama.cpp',
    status: 500,
    message: 'The model produced output that does not match the expected peg-native format',
    ...lostByParser,
  },
  {
    engine: 'Ollama',
    status: 500,
    message: 'llama-server returned invalid tool call arguments',
    ...lostByParser,
  },
  {
    engine: 'vLLM',
    status: 500,
    message: 'unexpected tokens remaining in message header: Some("to=functions.read")',
    ...lostByParser,
  },
  // H
  {
    engine: 'Llama 3',
    status: 400,
    message: 'This model only supports single tool-calls at once!',
    requestBody: { messages: history },
    takes: ({ messages }) => messages.every(({ tool_calls = [] }: Body) => tool_calls.length < 2),
    requests: 2,
    learned: ['retreat:valid-history'],
  },
  {
    engine: 'llama.cpp',
    status: 500,
    message: 'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1',
    requestBody: { messages: history },
    takes: ({ tools }) => tools === undefined,
    requests: 3,
    learned: [],
  },
  // J
  {
    engine: 'LM Studio',
    status: 400,
    message: 'Error rendering prompt with jinja template: "System message must be at the beginning."',
    requestBody: { messages: systems },
    takes: ({ messages }) =>
      messages.length === 2 && messages[0].content === 'First.' && messages[1].content === 'Read /a.txt\n\nSecond.',
    requests: 2,
    learned: ['retreat:inline-as-user'],
  },
  {
    engine: 'SGLang',
    status: 400,
    message: 'Error rendering prompt with jinja template: "System message must be at the beginning."',
    requestBody: { messages: [systems[2], systems[0], ...messages] },
    takes: ({ messages }) =>
      messages.filter(({ role }: Body) => role === 'system').length === 1 && messages[0].role === 'system',
    requests: 2,
    learned: ['retreat:one-system'],
  },
  {
    engine: 'vLLM',
    status: 400,
    message: 'System role not supported',
    requestBody: { messages: systems },
    takes: ({ messages }) => messages.length === 1 && messages[0].content === 'First.\n\nRead /a.txt\n\nSecond.',
    requests: 3,
    learned: ['retreat:inline-as-user', 'retreat:plain-roles'],
  },
  {
    engine: 'TGI',
    status: 422,
    message: 'Template error: unknown method: map has no method named items',
    ...refusesTools,
  },
  // I
  {
    engine: 'vLLM',
    status: 500,
    message: 'Internal server error',
    requestBody: { tool_choice: 'required' },
    takes: (body) => !hasConstraint(body) && /must call/.test(body.messages[0].content),
    requests: 2,
    learned: ['retreat:unconstrained'],
  },
];

const lessons = (): string[] => proxy.snapshot.learned.map(({ what }) => what);

describe.each(cases)('D-38 $engine: $message', ({ status, message, requestBody = {}, takes, requests, learned }) => {
  const forced = 'tool_choice' in requestBody && requestBody.tool_choice !== 'auto';
  const good: Behavior = (response, received) => {
    const prompted = received.body.tools === undefined;
    const modelMessage = prompted
      ? { content: '<tool_call>{"name":"read","arguments":{"path":"/a.txt"}}</tool_call>' }
      : reads;
    return answer(modelMessage)(response, received);
  };
  const ways: [string, boolean, Behavior][] = [
    ['whole', false, failing(message, status)],
    ['streamed', true, failing(message, status)],
    ['as an event after a 200', true, failingInStream(message, status)],
    ['in the body of a 200', false, failingIn200(message, status)],
  ];

  it.each(ways)('%s', async (_, streamed, failure) => {
    upstream.behave(until(takes, failure, good));
    const reply = await ask({ ...requestBody, stream: streamed });
    const responseText = await reply.text();
    expect([reply.status, responseText.includes('"read"'), forced && responseText.includes('error')]).toEqual([
      200,
      true,
      false,
    ]);
    const sent = bodies();
    expect(sent).toHaveLength(requests);
    // Never the same three times; here each form once.
    expect(new Set(sent.map((body) => JSON.stringify(body))).size).toBe(requests);
    expect(lessons()).toEqual(learned.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))));
    expect([proxy.proxy.breaker.openModels(), proxy.proxy.breaker.openUpstreams()]).toEqual([[], []]);
    // What was learned spares the next request the detour.
    upstream.received.length = 0;
    await (await ask({ ...requestBody, stream: streamed })).text();
    expect(bodies()).toHaveLength(learned.length === 0 ? requests : 1);
  });

  // An internal error that stays without a constraint is one.
  if (message === 'Internal server error') return;
  it('is no outage if nothing helps, and nothing is sent three times', async () => {
    upstream.behave(failing(message, status));
    for (const streamed of [true, false]) {
      upstream.received.length = 0;
      expect((await ask({ ...requestBody, stream: streamed })).status).not.toBe(503);
      const sent = bodies().map((body) => JSON.stringify(body));
      expect(sent.filter((one) => sent.filter((other) => other === one).length > 2)).toEqual([]);
    }
    const { breaker } = proxy.proxy;
    expect([breaker.openModels(), breaker.openUpstreams(), lessons()]).toEqual([[], [], []]);
  });
});

it.each(Object.keys(wraps) as (keyof typeof wraps)[])(
  'engine messages are recognized in an error in the form: %s',
  async (wrap) => {
    for (const message of [
      '"auto" tool choice requires --enable-auto-tool-choice',
      'The model produced output that does not match the expected peg-native format',
    ]) {
      upstream.behave(
        until(({ tools }) => tools === undefined, failing(message, 500, wrap), answer({ content: 'fine' })),
      );
      expect(await (await ask({})).text()).toContain('fine');
    }
  },
);

const echoes: [string, string][] = [
  ['pydantic', "[{'type': 'string_type', 'loc': ('body', 'messages', 0), 'msg': 'not valid', 'input': 'SAID'}]"],
  ['a sentence', 'Invalid message: "SAID"'],
  ['quotes', "Cannot parse 'SAID' at position 7"],
  ['llama.cpp', 'unexpected end of input; tools = [{"description":"SAID"}]'],
];
const clientTexts = [
  'my car does not support tools',
  'Unsupported param: tools',
  'tools param requires --jinja flag',
  'The model produced output that does not match the expected peg-native format',
  'Failed to parse input at pos 3: x',
  "error parsing tool call: raw='{}', err=x",
  'Failed to initialize samplers: failed to parse grammar',
  "[{'type': 'extra_forbidden', 'loc': ('body', 'tools')",
];
it.each(echoes)(
  'D-37 text of the client that %s repeats is not the engine’s: no retreat, nothing learned',
  async (_, form) => {
    for (const words of clientTexts) {
      upstream.behave(failing(form.replace('SAID', words), 400));
      const reply = await ask({ messages: [{ role: 'user', content: words }], tool_choice: named });
      expect([reply.status, bodies().length, words]).toEqual([400, 1, words]);
    }
    expect(lessons()).toEqual([]);
  },
);

it('an engine’s own message is a retreat although it occurs in the request, but teaches nothing', async () => {
  const message = 'tools param requires --jinja flag';
  upstream.behave(until(({ tools }) => tools === undefined, failing(message, 500), answer({ content: 'fine' })));
  const reply = await ask({ messages: [{ role: 'user', content: `What is: ${message}` }] });
  expect([await reply.text(), bodies().length]).toEqual([expect.stringContaining('fine'), 2]);
  expect(lessons()).toEqual([]);
});

it.each([
  [400, "This model's maximum context length is 4096 tokens. However, you requested 5000."],
  [400, 'The input (5000 tokens) is longer than the model’s context length (4096 tokens).'],
  [400, 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it'],
  [400, 'The number of tokens to keep from the initial prompt is greater than the context length.'],
  [
    400,
    'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
  ],
  [500, 'the request exceeds the available context size (4096 tokens), try increasing it'],
])('X: %i %s is passed on as context_length_exceeded, immediately and after a 200', async (status, message) => {
  for (const how of [failing(message, status), failingIn200(message, status), failingInStream(message, status)]) {
    upstream.behave(how);
    const reply = await ask({ stream: true });
    expect(await reply.text()).toContain('context_length_exceeded');
    expect(bodies()).toHaveLength(1);
  }
  expect([lessons(), proxy.proxy.breaker.openModels()]).toEqual([[], []]);
});

it.each([
  ['Ollama', `error parsing tool call: raw='{"path":"/a.txt"}', err=invalid character`],
  [
    'Ollama (with its name)',
    `error parsing tool call: raw='{"name":"read","arguments":{"path":"/a.txt"}}', err=invalid character`,
  ],
  ['llama.cpp', 'Failed to parse input at pos 0: <tool_call>{"name":"read","arguments":{"path":"/a.txt"}}</tool_call>'],
])('D: the raw call in %s’s error is parsed, also after a 200', async (_, message) => {
  for (const [how, streamed] of [
    [failing(message, 500), false],
    [failing(message, 500), true],
    [failingInStream(message, 500), true],
  ] as const) {
    upstream.behave(how);
    const reply = await ask({ stream: streamed, tools: tools.slice(0, 1) });
    expect([reply.status, (await reply.text()).includes('tool_calls'), bodies().length]).toEqual([200, true, 1]);
  }
});

const ambiguous = `error parsing tool call: raw='{"path":"/a.txt",}', err=invalid character`;
it.each([
  ['m', failing(ambiguous, 500)],
  ['m', failingInStream(ambiguous, 500)],
  ['set', failing(ambiguous, 500)],
  ['set', failingInStream(ambiguous, 500)],
])(
  'D: raw arguments in an engine’s error that fit several tools are no answer: model %s is asked again',
  async (model, how) => {
    for (const streamed of [false, true]) {
      upstream.behave(how, answer(reads));
      const reply = await ask({ model, stream: streamed });
      const text = await reply.text();
      expect([reply.status, text.includes('tool_calls'), text.includes('content":"{')]).toEqual([200, true, false]);
      expect(bodies()).toHaveLength(2);
    }
  },
);

describe.each([0, 1])('D: raw arguments that fit several tools, again and again, with %i corrections', (count) => {
  const each = it.each([
    ['whole', failing(ambiguous, 500), false],
    ['streamed', failing(ambiguous, 500), true],
    ['streamed, after a 200', failingInStream(ambiguous, 500), true],
  ] as const);
  beforeEach(() => {
    for (const model of ['m', 'set'])
      proxy.snapshot.change(model, { maxCorrections: { value: count, source: 'declared' } });
  });
  each('go by prompt under auto (%s)', async (_, how, streamed) => {
    const byPrompt = answer({
      content: '<tool_call>{"name":"read","arguments":{"path":"/a.txt"}}</tool_call>',
    });
    upstream.behave(until((body) => body.tools === undefined, how, byPrompt));
    const reply = await ask({ stream: streamed });
    const received = await reply.text();
    expect([reply.status, received.includes('tool_calls'), received.includes('a.txt')]).toEqual([200, true, true]);
    expect(bodies()).toHaveLength(2 + count);
    expect([lessons(), proxy.proxy.breaker.openModels()]).toEqual([[], []]);
  });
  each('are the engine’s error under native, not an answer (%s)', async (_, how, streamed) => {
    upstream.behave(how);
    const reply = await ask({ model: 'set', stream: streamed });
    const received = await reply.text();
    // Once a stream has begun, the error is its last event.
    if (!streamed) expect(reply.status).toBe(502);
    expect([received.includes('"upstream_error"'), /"content":"\{/.test(received)]).toEqual([true, false]);
    expect(bodies()).toHaveLength(2 * (1 + count));
  });
});

it('an engine’s error after a 200 and before any output is treated by its real status: retried, and an outage', async () => {
  upstream.behave(failingInStream('CUDA out of memory', 500), answer({ content: 'fine' }));
  expect(await (await ask({ stream: true })).text()).toContain('fine');
  upstream.behave(failingInStream('CUDA out of memory', 500));
  await (await ask({ stream: true, model: 'set' })).text();
  expect(proxy.proxy.breaker.openModels()).toHaveLength(1);
});

it('an engine’s error after a 200 is a retreat without tools as well', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 9 } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
  const requestBody = { tools: undefined, response_format, stream: true };
  const message = 'Failed to compile json grammar: unknown';
  upstream.behave(
    until(
      (body) => !JSON.stringify(body).includes('maxLength'),
      failingInStream(message, 400),
      answer({ content: '{}' }),
    ),
  );
  expect(await (await ask(requestBody)).text()).toContain('{}');
  expect(bodies()).toHaveLength(2);
  upstream.behave(
    until(
      ({ response_format: format }) => format === undefined,
      failingInStream(message, 400),
      answer({ content: '{}' }),
    ),
  );
  const reply = await ask({ ...requestBody, messages: [{ role: 'user', content: 'other' }] });
  expect([await reply.text(), reply.headers.get('x-callsmith-dropped-parameters')]).toEqual([
    expect.stringContaining('{}'),
    'response_format',
  ]);
  expect(JSON.stringify(bodies().at(-1)?.messages)).toContain('JSON schema');
});

describe('a parameter that an engine accepts and ignores', () => {
  it('an object tool_choice that is treated as auto: the request is sent as required with only that tool, and from then on', async () => {
    const wrong = {
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'write', arguments: '{"path":"/a"}' } }],
    };
    upstream.behave(until(({ tool_choice }) => tool_choice === 'required', answer(wrong), answer(reads)));
    for (const streamed of [true, false]) {
      const reply = await ask({ tool_choice: named, stream: streamed });
      expect([reply.status, (await reply.text()).includes('"read"')]).toEqual([200, true]);
    }
    expect(bodies().map(({ tool_choice, tools }) => [typeof tool_choice, tools.length])).toEqual([
      ['object', 2],
      ['string', 1],
      ['string', 1],
    ]);
    expect(lessons()).toEqual(['retreat:named-tool']);
  });

  it('required with an empty response: the demand is also put into words', async () => {
    upstream.behave(until(({ messages }) => messages[0].role === 'system', answer({ content: '' }), answer(reads)));
    expect((await ask({ tool_choice: 'required' })).status).toBe(200);
    expect(bodies().map(({ tool_choice }) => tool_choice)).toEqual(['required', 'required']);
    expect(lessons()).toEqual(['retreat:said-choice']);
  });

  it('a stream with text sent gets one more request for a call, then ends with an error; the next request is sent otherwise', async () => {
    upstream.behave(answer({ content: 'I would rather not.' }));
    const sse = await (await ask({ tool_choice: named, stream: true })).text();
    expect([sse.includes('tool_call_required'), bodies().length, lessons()]).toEqual([true, 2, ['retreat:named-tool']]);
  });

  it('a response that was cut by its length proves nothing', async () => {
    upstream.behave(
      json(200, {
        usage,
        choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'length' }],
      }),
    );
    expect([(await ask({ tool_choice: 'required' })).status, bodies().length, lessons()]).toEqual([502, 1, []]);
  });

  it('none: the tools are left out from then on', async () => {
    upstream.behave(answer(reads));
    await (await ask({ tool_choice: 'none' })).text();
    expect(lessons()).toEqual(['retreat:no-tools']);
    upstream.behave(answer({ content: 'fine' }));
    await (await ask({ tool_choice: 'none' })).text();
    await (await ask({})).text();
    expect(bodies().map(({ tools }) => tools?.length)).toEqual([undefined, 2]);
  });

  it('Ollama, which has no tool_choice, gets it in words', async () => {
    upstream.behave(answer(reads));
    const reply = await ask({ model: 'ollama', tool_choice: named });
    expect([reply.status, reply.headers.get('x-callsmith-dropped-parameters')]).toEqual([200, 'tool_choice']);
    const [sent] = bodies();
    expect([sent?.tools.length, sent?.messages[0].content]).toEqual([
      1,
      'Your next answer must call the tool read and no other.',
    ]);
  });
});

it('a model that another server can serve goes there if this one’s engine can do nothing more', async () => {
  const second = await startUpstream();
  second.behave(answer(reads));
  upstream.behave(failing('tools param requires --jinja flag', 500));
  const own = await startProxy([{ name: 'm', strategy: 'native', baseUrls: [upstream.baseUrl, second.baseUrl] }]);
  await proxy.close();
  proxy = own;
  expect([(await ask({})).status, upstream.received.length, second.received.length]).toEqual([200, 1, 1]);
  await second.close();
});
