import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Body, chatAnswer, chatBodies, type ModelReply, replying } from './test-chat.ts';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { type Behavior, json, testUpstream } from './test-upstream.ts';

const upstream = await testUpstream();
let proxy: TestProxy;

beforeEach(async () => {
  const baseUrls = [upstream.baseUrl];
  proxy = await startProxy([
    { name: 'thinker', upstreamModel: 'big', dialect: 'hermes', baseUrls },
    { name: 'caller', upstreamModel: 'small', strategy: 'native', baseUrls },
  ]);
  proxy.snapshot.change('thinker', { delegate: { value: 'caller', source: 'declared' } });
});
afterEach(() => proxy.close());

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['path'],
};
const tools = ['read_file', 'write_file', 'list'].map((name) => ({ type: 'function', function: { name, parameters } }));
const messages = [{ role: 'user', content: 'Write notes.txt' }];

/** Answers with text, reasoning and native calls; a stream sends its text in pieces of three characters. */
const replyWith = (
  { content = '', ...reply }: Omit<ModelReply, 'text' | 'usage'> & { readonly content?: string },
  prompt_tokens = 10,
): Behavior =>
  replying({
    text: content.match(/[\s\S]{1,3}/g) ?? [],
    usage: { prompt_tokens, total_tokens: prompt_tokens + 5 },
    ...reply,
  });

/** The response, each call as its name and its parsed arguments. */
async function ask(more: object = {}): Promise<Body> {
  const answer = await chatAnswer(
    await postJson(proxy, '/v1/chat/completions', { model: 'thinker', messages, tools, ...more }),
  );
  return { ...answer, calls: answer.calls.map(({ function: made }) => [made.name, JSON.parse(made.arguments)]) };
}

const bodies = (): Body[] => chatBodies(upstream);

const file = 'A long note about many things.\n\tWith "quotes" and \\ signs.';
const decided = replyWith({
  content: `I write it.\n\`\`\`\n${file}\n\`\`\`\nCALL write_file: path notes.txt, content the block`,
});
const writes = replyWith({ calls: [['write_file', { path: 'notes.txt', content: '@1' }]] }, 30);

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
    if (streams) expect(answer.deltaKinds.lastIndexOf('text')).toBeLessThan(answer.deltaKinds.indexOf('call'));
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
  ])('%s causes no second request', async (_, reply, content) => {
    upstream.behave(replyWith(reply));
    expect(await ask(more)).toMatchObject({ content, calls: [] });
    expect(bodies()).toHaveLength(1);
  });

  it('a call that the first one writes itself is used unchanged', async () => {
    upstream.behave(
      replyWith({ content: '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>' }),
    );
    expect(await ask(more)).toMatchObject({ calls: [['read_file', { path: 'a' }]], finish_reason: 'tool_calls' });
    expect(bodies()).toHaveLength(1);
  });

  it('of a model that only reasons, the end of its reasoning is passed on', async () => {
    upstream.behave(
      replyWith({ reasoning: `${'x '.repeat(3000)}I must read a.txt with read_file.` }),
      replyWith({ calls: [['read_file', { path: 'a.txt' }]] }),
    );
    expect(await ask(more)).toMatchObject({ calls: [['read_file', { path: 'a.txt' }]] });
    expect(JSON.stringify(bodies()[1]).length).toBeLessThan(4000);
  });

  it.each([
    ['fails', json(500, { error: { message: 'boom' } })],
    ['says that there is no call', replyWith({ calls: [['no_call', {}]] })],
    ['answers in words', replyWith({ content: 'No idea.' })],
  ])('if the second one %s, the first one’s text is the response', async (_, second) => {
    upstream.behave(replyWith({ content: 'I look.\nCALL read_file: path a.txt' }), second);
    const answer = await ask(more);
    expect(answer).toMatchObject({ calls: [], finish_reason: 'stop' });
    expect(answer.content).toMatch(/^I look\.\nCALL read_file: path a\.txt$/);
  });

  it('a value that does not occur in the context is requested once more, and then rejected', async () => {
    const look = replyWith({ content: 'I look.\nCALL read_file: path a.txt' });
    const wrong = replyWith({ calls: [['read_file', { path: 'some/other/path/nobody/named.txt' }]] });
    upstream.behave(look, wrong, replyWith({ calls: [['read_file', { path: 'a.txt' }]] }));
    expect(await ask(more)).toMatchObject({ calls: [['read_file', { path: 'a.txt' }]] });
    expect(bodies()[2]?.messages[1].content).toContain('nobody/named.txt');
    upstream.behave(look, wrong);
    expect(await ask(more)).toMatchObject({ calls: [] });
    expect(bodies()).toHaveLength(3);
  });

  it('if a call is required and none results, the client gets an error', async () => {
    upstream.behave(replyWith({ content: 'I would rather not.' }), replyWith({ calls: [['no_call', {}]] }));
    expect(await ask({ ...more, tool_choice: 'required' })).toMatchObject({ error: { code: 'tool_call_required' } });
    expect(bodies()).toHaveLength(2);
  });
});

it('H-9 without tools, or without the second model, the first one gets the usual request', async () => {
  upstream.behave(replyWith({ content: 'Hello.\nANSWER' }));
  expect(await ask({ tools: undefined })).toMatchObject({ content: 'Hello.\nANSWER' });
  proxy.snapshot.change('thinker', { delegate: { value: 'gone', source: 'declared' } });
  upstream.behave(replyWith({ calls: [['read_file', { path: 'a' }]] }));
  expect(await ask()).toMatchObject({ calls: [['read_file', { path: 'a' }]] });
  expect(bodies()[0]?.tools).toHaveLength(3);
});
