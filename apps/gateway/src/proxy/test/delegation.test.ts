import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiKey, startProxy, type TestProxy } from './test-proxy.ts';
import {
  type Behavior,
  call,
  chunk,
  done,
  json,
  role,
  startUpstream,
  stream,
  type TestUpstream,
  text,
} from './test-upstream.ts';

let upstream: TestUpstream;
let proxy: TestProxy;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(async () => {
  const baseUrls = [upstream.baseUrl];
  proxy = await startProxy([
    { name: 'thinker', upstreamModel: 'big', dialect: 'hermes', baseUrls },
    { name: 'caller', upstreamModel: 'small', strategy: 'native', baseUrls },
  ]);
  proxy.snapshot.change('thinker', { delegate: { value: 'caller', source: 'declared' } });
});
afterEach(() => proxy.close());

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Body = Record<string, any>;

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['path'],
};
const tools = ['read_file', 'write_file', 'list'].map((name) => ({ type: 'function', function: { name, parameters } }));
const messages = [{ role: 'user', content: 'Write notes.txt' }];

const usage = (input: number) => ({ prompt_tokens: input, completion_tokens: 5, total_tokens: input + 5 });
interface Said {
  readonly content?: string;
  readonly reasoning?: string;
  readonly calls?: readonly (readonly [name: string, args: object])[];
  readonly finish?: string;
}
/** Answers in the form that was asked for; a stream says its text in pieces of three characters. */
const says =
  ({ content = '', reasoning = '', calls = [], finish }: Said, input = 10): Behavior =>
  (response, received) => {
    const reason = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
    if (received.body.stream)
      return stream(
        role,
        ...(reasoning === '' ? [] : [chunk({ reasoning_content: reasoning })]),
        ...(content.match(/[\s\S]{1,3}/g) ?? []).map(text),
        ...calls.map(([name, args], at) => call(at, name, JSON.stringify(args))),
        chunk({}, reason),
        `data: ${JSON.stringify({ choices: [], usage: usage(input) })}\n\n`,
        done,
      )(response, received);
    const tool_calls = calls.map(([name, args], at) => ({
      id: `c${at}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    const message = {
      role: 'assistant',
      content,
      ...(reasoning && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls }),
    };
    return json(200, { usage: usage(input), choices: [{ index: 0, message, finish_reason: reason }] })(
      response,
      received,
    );
  };

async function ask(more: object = {}): Promise<Body> {
  const reply = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'thinker', messages, tools, ...more }),
  });
  const said = await reply.text();
  if (!said.includes('data: ')) {
    const body = JSON.parse(said) as Body;
    if (body.error) return body;
    const [{ message, finish_reason }] = body.choices;
    return { content: message.content ?? '', calls: callsOf(message.tool_calls), finish_reason, usage: body.usage };
  }
  const events = said
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as Body);
  const deltas = events.flatMap(({ choices = [] }) => choices as Body[]);
  return {
    content: deltas.map(({ delta }) => delta.content ?? '').join(''),
    calls: callsOf(deltas.flatMap(({ delta }) => delta.tool_calls ?? [])),
    finish_reason: deltas.findLast((choice) => choice.finish_reason)?.finish_reason,
    usage: events.at(-1)?.usage,
    ...(events.find((event) => event.error) ?? {}),
    kinds: deltas.flatMap(({ delta }) => (delta.tool_calls ? ['call'] : delta.content ? ['text'] : [])),
  };
}

const callsOf = (made: readonly Body[] = []): [string, unknown][] => {
  const calls: { name: string; json: string }[] = [];
  for (const { index = calls.length, function: of } of made) {
    const one = (calls[index] ??= { name: of.name, json: '' });
    one.json += of.arguments ?? '';
  }
  return calls.map(({ name, json: args }) => [name, JSON.parse(args)]);
};

const bodies = (): Body[] =>
  upstream.received.filter(({ url }) => url.endsWith('/chat/completions')).map(({ body }) => body);

const file = 'A long note about many things.\n\tWith "quotes" and \\ signs.';
const decided = says({
  content: `I write it.\n\`\`\`\n${file}\n\`\`\`\nCALL write_file: path notes.txt, content the block`,
});
const writes = says({ calls: [['write_file', { path: 'notes.txt', content: '@1' }]] }, 30);

describe.each([false, true])('H-9 one model decides and another one writes the call, stream: %s', (streams) => {
  const more = { stream: streams, ...(streams && { stream_options: { include_usage: true } }) };

  it('the first one decides in words, the second one writes the calls, with long values byte for byte', async () => {
    upstream.behave(decided, writes);
    const answer = await ask(more);
    expect(answer).toMatchObject({
      content: `I write it.\n\`\`\`\n${file}\n\`\`\``,
      calls: [['write_file', { path: 'notes.txt', content: file }]],
      finish_reason: 'tool_calls',
      usage: { prompt_tokens: 10 },
    });
    if (streams) expect(answer.kinds.lastIndexOf('text')).toBeLessThan(answer.kinds.indexOf('call'));
    const [first, second] = bodies();
    expect(bodies()).toHaveLength(2);
    expect([first?.model, first?.tools, second?.model]).toEqual(['big', undefined, 'small']);
    expect(first?.messages[0].content).toMatch(/Another model makes the tool calls[\s\S]*CALL tool_name:[\s\S]*ANSWER/);
    expect(second).toMatchObject({ tool_choice: 'required' });
    expect(second?.tools.map(({ function: { name } }: Body) => name)).toEqual(['write_file', 'no_call']);
    expect(JSON.stringify(second?.messages)).not.toContain('quotes');
  });

  it('both are in the record, with the tokens of both', async () => {
    upstream.behave(decided, writes);
    await ask(more);
    const [turn] = proxy.recorder.turns;
    expect(turn).toMatchObject({
      model: 'thinker',
      outcome: 'clean',
      attempts: 2,
      inputTokens: 40,
      outputTokens: 10,
      calls: [{ tool: 'write_file', outcome: 'clean' }],
    });
    expect(turn?.body?.notes).toContainEqual(expect.objectContaining({ detail: 'calls written by caller' }));
    expect(turn?.body?.upstreamRequest).toBe(upstream.received[0]?.text);
    expect(turn?.body?.tries).toMatchObject([
      { delivered: true },
      { delivered: false, upstreamRequest: upstream.received[1]?.text, raw: [{ fragments: [{ name: 'write_file' }] }] },
    ]);
  });

  it.each([
    ['an answer in words', { content: 'It is done.\nANSWER' }, 'It is done.'],
    ['words without a last line', { content: 'It is done.' }, 'It is done.'],
    ['what the limit cut', { content: 'Well.\nCALL read_file: pa', finish: 'length' }, 'Well.\nCALL read_file: pa'],
  ])('%s causes no second request', async (_, said, content) => {
    upstream.behave(says(said));
    expect(await ask(more)).toMatchObject({ content, calls: [] });
    expect(bodies()).toHaveLength(1);
  });

  it('a call that the first one writes itself is used unchanged', async () => {
    upstream.behave(says({ content: '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>' }));
    expect(await ask(more)).toMatchObject({ calls: [['read_file', { path: 'a' }]], finish_reason: 'tool_calls' });
    expect(bodies()).toHaveLength(1);
  });

  it('of a model that only reasons, the end of its reasoning is passed on', async () => {
    upstream.behave(
      says({ reasoning: `${'x '.repeat(3000)}I must read a.txt with read_file.` }),
      says({ calls: [['read_file', { path: 'a.txt' }]] }),
    );
    expect(await ask(more)).toMatchObject({ calls: [['read_file', { path: 'a.txt' }]] });
    expect(JSON.stringify(bodies()[1]).length).toBeLessThan(4000);
  });

  it.each([
    ['fails', json(500, { error: { message: 'boom' } })],
    ['says that there is no call', says({ calls: [['no_call', {}]] })],
    ['answers in words', says({ content: 'No idea.' })],
  ])('if the second one %s, the first one’s text is the response', async (_, second) => {
    upstream.behave(says({ content: 'I look.\nCALL read_file: path a.txt' }), second);
    const answer = await ask(more);
    expect(answer).toMatchObject({ calls: [], finish_reason: 'stop' });
    expect(answer.content).toMatch(/^I look\.\nCALL read_file: path a\.txt$/);
  });

  it('a value that does not occur in the context is requested once more, and then rejected', async () => {
    const look = says({ content: 'I look.\nCALL read_file: path a.txt' });
    const wrong = says({ calls: [['read_file', { path: 'some/other/path/nobody/named.txt' }]] });
    upstream.behave(look, wrong, says({ calls: [['read_file', { path: 'a.txt' }]] }));
    expect(await ask(more)).toMatchObject({ calls: [['read_file', { path: 'a.txt' }]] });
    expect(bodies()[2]?.messages[1].content).toContain('nobody/named.txt');
    upstream.behave(look, wrong);
    expect(await ask(more)).toMatchObject({ calls: [] });
    expect(bodies()).toHaveLength(3);
  });

  it('if a call is required and none results, the client gets an error', async () => {
    upstream.behave(says({ content: 'I would rather not.' }), says({ calls: [['no_call', {}]] }));
    expect(await ask({ ...more, tool_choice: 'required' })).toMatchObject({ error: { code: 'tool_call_required' } });
    expect(bodies()).toHaveLength(2);
  });
});

it('H-9 without tools, or without the second model, the first one gets the usual request', async () => {
  upstream.behave(says({ content: 'Hello.\nANSWER' }));
  expect(await ask({ tools: undefined })).toMatchObject({ content: 'Hello.\nANSWER' });
  proxy.snapshot.change('thinker', { delegate: { value: 'gone', source: 'declared' } });
  upstream.behave(says({ calls: [['read_file', { path: 'a' }]] }));
  expect(await ask()).toMatchObject({ calls: [['read_file', { path: 'a' }]] });
  expect(bodies()[0]?.tools).toHaveLength(3);
});
