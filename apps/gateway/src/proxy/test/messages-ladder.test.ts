import { beforeEach, describe, expect, it } from 'vitest';
import { apiKey, testProxy } from './test-proxy.ts';
import { type Behavior, done, json, role, stop, stream, testUpstream, text } from './test-upstream.ts';

// What Claude Code 2.1.330 sends, and sends again with less where it is answered with a 400: none of it may bring one.

const upstream = await testUpstream();
const proxy = await testProxy([
  { name: 'native', strategy: 'native', baseUrls: [upstream.baseUrl] },
  { name: 'prompt', strategy: 'prompt', dialect: 'hermes', baseUrls: [upstream.baseUrl] },
  { name: 'strict-template', strategy: 'native', upstream: { id: 'up_template' }, baseUrls: [upstream.baseUrl] },
]);

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, read as they come.
type Body = any;

const answers: Behavior = (response, received) =>
  received.body.stream === true
    ? stream(role, text('Fine.'), stop, done)(response, received)
    : json(200, {
        id: 'u',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Fine.' }, finish_reason: 'stop' }],
      })(response, received);

beforeEach(() => upstream.behave(answers));

/** What the model was asked, without what only counts tokens. */
const completionRequests = () => upstream.received.filter(({ url }) => url.endsWith('/chat/completions'));

const schema = { type: 'object', properties: { path: { type: 'string' } } };
const environment = 'Environment: linux. Skills: none.';

/** The whole of what it sends in the middle of a conversation. */
const full: Body = {
  max_tokens: 32_000,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330' },
    { type: 'text', text: 'You are a coding agent.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    { type: 'text', text: 'Rules.' },
  ],
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
  metadata: { user_id: '{"device_id":"d"}' },
  safeguards: [{ type: 'newer' }],
  tools: [
    { name: 'ToolSearch', description: 'Loads tools.', input_schema: { type: 'object', properties: {} } },
    { name: 'Read', input_schema: schema, eager_input_streaming: true, cache_control: { type: 'ephemeral' } },
    { name: 'DeferredToolPlaceholder', input_schema: { type: 'object' }, defer_loading: true },
    { name: 'Write', input_schema: schema, defer_loading: true },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Read a.txt' }] },
    { role: 'system', content: environment },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: '', signature: 'EqQBfromAnother' },
        { type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'tool_reference', tool_name: 'Write' }] },
      ],
    },
  ],
};

const without = (...names: string[]): Body =>
  Object.fromEntries(Object.entries(full).filter(([name]) => !names.includes(name)));
const folded = full.messages
  .filter(({ role: who }: Body) => who !== 'system')
  .map((message: Body, at: number) =>
    at === 0 ? { ...message, content: [...message.content, { type: 'text', text: environment }] } : message,
  );

const rungs: [string, Body, string][] = [
  ['all of it', full, 'interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13,tool-search-2025-10-19'],
  ['no count of thinking', full, 'interleaved-thinking-2025-05-14,tool-search-2025-10-19'],
  ['no display of thinking', { ...full, thinking: { type: 'adaptive' } }, 'tool-search-2025-10-19'],
  ['thinking with a budget', { ...full, thinking: { type: 'enabled', budget_tokens: 31_999 } }, ''],
  [
    'no search of tools',
    { ...full, tools: [full.tools[1], full.tools[3]], messages: [full.messages[0], full.messages[1]] },
    '',
  ],
  ['the system folded into the user', { ...full, messages: folded }, ''],
  ['no thinking, no editing of the context', without('thinking', 'context_management', 'output_config'), ''],
];

function send(model: string, body: Body, { beta = '', streams = true } = {}): Promise<Response> {
  return fetch(`${proxy.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'anthropic-version': '2023-06-01',
      ...(beta !== '' && { 'anthropic-beta': beta }),
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...body, model, stream: streams }),
  });
}

describe.each(['native', 'prompt'])('%s', (model) => {
  it.each(rungs)('%s gets a response, streamed and whole', async (_, body, beta) => {
    for (const streams of [true, false]) {
      const response = await send(model, body, { beta, streams });
      const responseText = await response.text();
      expect(response.status, responseText).toBe(200);
      expect(responseText).toContain('Fine.');
    }
    const [sent] = completionRequests();
    expect(sent?.text).toContain(environment);
    expect(sent?.text).not.toContain('DeferredToolPlaceholder');
    expect(sent?.text).not.toContain('cc_version');
  });
});

describe('a template that refuses a system message within the conversation', () => {
  const refusal = 'Error rendering prompt with jinja template: "System message must be at the beginning."';
  const picky: Behavior = (response, received) => {
    const messages = (received.body.messages ?? []) as Body[];
    const late = messages.some(({ role: who }, at) => who === 'system' && at > 0);
    return (late ? json(400, { error: { message: refusal } }) : answers)(response, received);
  };

  it('gets it as user text in the same place; the client is not informed, and it is learned', async () => {
    upstream.behave(picky);
    const first = await send('strict-template', full);
    expect(await first.text()).toContain('Fine.');
    expect(completionRequests()).toHaveLength(2);
    const messages = completionRequests()[1]?.body.messages as Body[];
    expect(messages.map(({ role: who }) => who)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(messages[0].content).not.toContain(environment);
    expect(JSON.stringify(messages[1].content)).toContain(environment);
    expect(JSON.stringify(messages[1].content).indexOf('Read a.txt')).toBeLessThan(
      JSON.stringify(messages[1].content).indexOf(environment),
    );
    expect(proxy.snapshot.learned.map(({ what }) => what)).toContain('retreat:inline-as-user');
    upstream.behave(picky);
    expect((await send('strict-template', full, { streams: false })).status).toBe(200);
    expect(completionRequests()).toHaveLength(1);
  });
});

describe('too long for the model', () => {
  const limit =
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 700 input tokens (32000 > 8192 - 700).";
  const long = "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens.";

  it.each([
    [limit, 'input length and `max_tokens` exceed context limit: 700 + 32000 > 8192'],
    [long, 'prompt is too long: 9000 tokens > 8192 maximum'],
  ])('%s is a 400 in the wording that it reads numbers from', async (message, errorText) => {
    for (const streams of [true, false]) {
      upstream.behave(json(400, { error: { message, type: 'BadRequestError', code: 400 } }));
      const response = await send('native', full, { streams });
      const errorBody = (await response.json()) as { error: { type: string; message: string } };
      expect([response.status, errorBody.error.type]).toEqual([400, 'invalid_request_error']);
      expect(errorBody.error.message).toContain(errorText);
      expect(completionRequests()).toHaveLength(1);
    }
  });
});

it('an upstream’s own 400 is reported once, in a form that is not parsed as “no system role”', async () => {
  upstream.behave(json(400, { error: { message: 'top_k must be positive' } }));
  const response = await send('native', full);
  const errorBody = (await response.json()) as { error: { message: string } };
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(errorBody.error.message).toContain('top_k must be positive');
  expect(errorBody.error.message).not.toMatch(/role|system/i);
});
