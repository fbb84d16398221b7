import { beforeEach, describe, expect, it } from 'vitest';
import { apiKey, testProxy } from './test-proxy.ts';
import { json, testUpstream } from './test-upstream.ts';

// The routes beside `POST /v1/responses`.

const upstream = await testUpstream();
const proxy = await testProxy([{ name: 'm', strategy: 'native', baseUrls: [upstream.baseUrl] }]);
proxy.snapshot.addKey('sk-another-0123456789', { id: 'key_another' });

const reply = (message: object, finish = 'stop') =>
  json(200, { id: 'u', choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }] });

beforeEach(() => upstream.behave(reply({ content: 'Fine.' })));

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, read as they come.
type Json = any;

async function ask(method: string, path: string, body?: object, key = apiKey): Promise<{ status: number; body: Json }> {
  const answer = await fetch(`${proxy.url}/v1/responses${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

const tools = [
  { type: 'function', name: 'read', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
  { type: 'namespace', name: 'web', tools: [{ type: 'function', name: 'open', parameters: { type: 'object' } }] },
];
const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' };

/** Asks twice, the second time with the results of three calls; both answers' ids. */
async function conversation(): Promise<{ first: Json; second: Json }> {
  const call = (id: string, name: string, args: string) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  });
  upstream.behave(
    reply(
      {
        content: 'I look.',
        reasoning_content: 'Hm.',
        tool_calls: [
          call('a', 'read', '{"path":"x"}'),
          call('b', 'patch', '{"input":"*** Begin"}'),
          call('c', 'web__open', '{}'),
        ],
      },
      'tool_calls',
    ),
    reply({ content: 'Done.' }),
  );
  const { body: first } = await ask('POST', '', {
    model: 'm',
    tools,
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'Rules.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Look' }, image] },
    ],
  });
  const [, , read, patch, open] = first.output;
  const { body: second } = await ask('POST', '', {
    model: 'm',
    tools,
    previous_response_id: first.id,
    input: [
      { type: 'function_call_output', call_id: read.call_id, output: 'A' },
      { type: 'custom_tool_call_output', call_id: patch.call_id, output: 'B' },
      { type: 'function_call_output', call_id: open.call_id, output: [{ type: 'input_text', text: 'C' }] },
    ],
  });
  return { first, second };
}

describe('input_items', () => {
  it('are the whole input of a stored response, in the form of this API', async () => {
    const { first, second } = await conversation();
    const { body: list } = await ask('GET', `/${second.id}/input_items?order=asc`);
    const [developer, user, reasoning, message, read, patch, open, ...outputs] = list.data;
    expect(developer).toMatchObject({
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'Rules.' }],
    });
    expect(user).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: 'Look' }, image] });
    const bare = ({ id: _, ...item }: Json) => item;
    expect([reasoning, message, read, patch, open].map(bare)).toEqual(first.output.map(bare));
    expect(outputs).toMatchObject([
      { type: 'function_call_output', call_id: read.call_id, output: 'A' },
      { type: 'custom_tool_call_output', call_id: patch.call_id, output: 'B' },
      { type: 'function_call_output', call_id: open.call_id, output: [{ type: 'input_text', text: 'C' }] },
    ]);
    expect(list).toMatchObject({ object: 'list', first_id: developer.id, last_id: outputs[2].id, has_more: false });
    expect(new Set(list.data.map(({ id }: Json) => id)).size).toBe(10);
    expect((await ask('GET', `/${first.id}/input_items`)).body.data).toHaveLength(2);
  });

  it('are paged, newest first by default', async () => {
    const { second } = await conversation();
    const { body: all } = await ask('GET', `/${second.id}/input_items?order=asc&limit=100`);
    const seen: string[] = [];
    let after = '';
    for (let page = 0; page < 4; page++) {
      const { body } = await ask('GET', `/${second.id}/input_items?limit=3${after}`);
      expect(body.has_more).toBe(page < 3);
      seen.push(...body.data.map(({ id }: Json) => id));
      after = `&after=${body.last_id}`;
    }
    expect(seen.reverse()).toEqual(all.data.map(({ id }: Json) => id));
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'order=up', 'after=msg_none'])('refuse ?%s by name', async (query) => {
    const { body: created } = await ask('POST', '', { model: 'm', input: 'Hi' });
    const { status, body: refused } = await ask('GET', `/${created.id}/input_items?${query}`);
    expect([status, refused.error.param]).toEqual([400, query.split('=')[0]]);
  });

  it('are available only to the key that made the request', async () => {
    const { body: created } = await ask('POST', '', { model: 'm', input: 'Hi' });
    const { status, body: refused } = await ask(
      'GET',
      `/${created.id}/input_items`,
      undefined,
      'sk-another-0123456789',
    );
    expect([status, refused.error.code]).toEqual([404, 'response_not_found']);
    expect((await ask('GET', '/resp_none/input_items')).status).toBe(404);
  });
});

describe('input_tokens', () => {
  it('counts a prompt, including the conversation that it continues, without a model request', async () => {
    const { second } = await conversation();
    const requestsBefore = upstream.received.length;
    const count = async (body: object): Promise<number> => {
      const { status, body: responseBody } = await ask('POST', '/input_tokens', { model: 'm', ...body });
      expect([status, responseBody.object], JSON.stringify(responseBody)).toEqual([200, 'response.input_tokens']);
      return responseBody.input_tokens;
    };
    const alone = await count({ input: 'Go on.' });
    expect(alone).toBeGreaterThan(0);
    expect(await count({ input: 'Go on.', tools })).toBeGreaterThan(alone);
    expect(await count({ input: 'Go on.', previous_response_id: second.id })).toBeGreaterThan(alone + 5);
    expect(upstream.received.slice(requestsBefore).filter(({ url }) => url.endsWith('/completions'))).toEqual([]);
  });

  it('refuses what a request for a response would be refused for', async () => {
    expect((await ask('POST', '/input_tokens', { model: 'm', input: 7 })).body.error.param).toBe('input');
    const missing = { model: 'm', input: 'Hi', previous_response_id: 'resp_none' };
    expect((await ask('POST', '/input_tokens', missing)).status).toBe(404);
    expect((await ask('POST', '/input_tokens', { model: 'm', input: 'Hi' }, 'sk-unknown-0123456789')).status).toBe(401);
  });
});

it('nothing runs in the background: cancel says so for a stored response, and does not find any other', async () => {
  const { body: created } = await ask('POST', '', { model: 'm', input: 'Hi' });
  const { status, body: refused } = await ask('POST', `/${created.id}/cancel`);
  expect([status, refused.error.message]).toEqual([400, expect.stringContaining('background')]);
  expect((await ask('POST', '/resp_none/cancel')).status).toBe(404);
  expect((await ask('POST', `/${created.id}/cancel`, undefined, 'sk-another-0123456789')).status).toBe(404);
});

it('compact is refused by name', async () => {
  const { status, body } = await ask('POST', '/compact', { model: 'm', input: 'Hi' });
  expect([status, body.error.message]).toEqual([
    404,
    expect.stringContaining('Conversation compaction is not supported'),
  ]);
});

it('a stored response is not streamed again', async () => {
  const { body: created } = await ask('POST', '', { model: 'm', input: 'Hi' });
  expect((await ask('GET', `/${created.id}?stream=true`)).body.error.param).toBe('stream');
  expect((await ask('GET', `/${created.id}?stream=false`)).status).toBe(200);
});
