import { startSimulator } from '@callsmith/simulator';
import type { JsonObject } from '@callsmith/turn';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKey, MemoryResponses, postJson, startProxy, type TestProxy } from './test-proxy.ts';

const simulator = await startSimulator({ models: ['sim-needs-reasoning'] });
afterAll(() => simulator.close());

let proxy: TestProxy;
let kept: MemoryResponses;
beforeEach(async () => {
  kept = new MemoryResponses();
  const baseUrls = [`${simulator.url}/v1`];
  proxy = await startProxy([{ name: 'm', upstreamModel: 'sim-needs-reasoning', strategy: 'native', baseUrls }], {
    storedRounds: kept,
  });
});
afterEach(() => proxy.close());

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [{ type: 'function', function: { name: 'read_file', description: 'Reads a file', parameters } }];
const remember = (value = true): void => proxy.snapshot.change('m', { keepsReasoning: { value, source: 'declared' } });

interface Message {
  readonly [key: string]: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
}

/** The status of each request of a conversation whose client forgets all reasoning, and the text of the last response. */
async function converse(task: string, { streams = false, key = apiKey } = {}) {
  const messages: Message[] = [{ role: 'user', content: task }];
  const statuses: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const reply = await postJson(
      proxy,
      '/v1/chat/completions',
      { model: 'm', messages, tools, stream: streams },
      { key },
    );
    statuses.push(reply.status);
    const responseText = await reply.text();
    if (reply.status !== 200) return { statuses, responseText };
    const message = streams ? joined(responseText) : (JSON.parse(responseText).choices[0].message as Message);
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return { statuses, responseText };
    messages.push({ role: 'assistant', content: null, tool_calls: calls });
    for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: `the text of ${id}` });
  }
  return { statuses, responseText: '' };
}

/** The message of a stream. */
function joined(sse: string): Message {
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  for (const line of sse.split('\n').filter((one) => one.startsWith('data: {'))) {
    const [choice] = JSON.parse(line.slice(6)).choices;
    for (const { index, id, function: of } of choice?.delta.tool_calls ?? []) {
      calls[index] ??= { id, type: 'function', function: { name: of.name, arguments: '' } };
      (calls[index] as (typeof calls)[number]).function.arguments += of.arguments ?? '';
    }
  }
  return { tool_calls: calls };
}

const task = (n: number): string => `Read a${n}.txt, then read b${n}.txt. Then say what each of them says.`;
const bodies = (): JsonObject[] =>
  simulator.requests.map(({ body }) => body as JsonObject).filter((body) => body?.messages !== undefined);

describe.each([false, true])('stream: %s', (streams) => {
  it('without the setting every later request of a conversation is a 400, with it none, and the prefix stays', async () => {
    const without = await converse(task(1), { streams });
    expect(without.statuses).toEqual([200, 400]);
    expect(without.responseText).toContain('Missing `reasoning_content` field');
    remember();
    const before = bodies().length;
    const results = await Promise.all([2, 3, 4, 5].map((n) => converse(task(n), { streams })));
    for (const { statuses } of results) {
      expect(statuses.length).toBeGreaterThanOrEqual(2);
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    const newBodies = bodies().slice(before);
    for (const n of [2, 3, 4, 5]) {
      const own = newBodies.filter(({ messages }) => JSON.stringify(messages).includes(`Read a${n}.txt`));
      for (const [at, body] of own.entries()) {
        const earlier = (own[at - 1]?.messages ?? []) as JsonObject[];
        const messages = body.messages as JsonObject[];
        expect(messages.slice(0, earlier.length)).toEqual(earlier);
        for (const message of messages)
          if (message.role === 'assistant') expect(message.reasoning_content).toMatch(/^The user wants: /);
      }
    }
    const notes = proxy.recorder.turns.map(({ body }) => JSON.stringify(body?.notes ?? []));
    expect(notes.some((note) => note.includes('reasoning given back: 1'))).toBe(true);
  });
});

it.each(['vllm', 'sglang', 'llamacpp', 'lmstudio', 'openai'] as const)(
  'reasoning goes back to %s, which requires it as `reasoning_content`, also if the client calls it `reasoning`',
  async (kind) => {
    const baseUrls = [`${simulator.url}/v1`];
    const other = await startProxy(
      [{ name: 'm', upstreamModel: 'sim-needs-reasoning', strategy: 'native', baseUrls, kind }],
      { storedRounds: new MemoryResponses() },
    );
    other.snapshot.change('m', { keepsReasoning: { value: true, source: 'declared' } });
    const own = proxy;
    proxy = other;
    const { statuses } = await converse(task(9));
    const messages: object[] = [{ role: 'user', content: task(10) }];
    const completion = (await (
      await postJson(proxy, '/v1/chat/completions', { model: 'm', messages, tools })
    ).json()) as {
      choices: [{ message: Message }];
    };
    const { tool_calls: calls } = completion.choices[0].message;
    messages.push({ role: 'assistant', content: null, tool_calls: calls, reasoning: 'My own.' });
    for (const { id } of calls ?? []) messages.push({ role: 'tool', tool_call_id: id, content: 'x' });
    const next = await postJson(proxy, '/v1/chat/completions', { model: 'm', messages, tools });
    proxy = own;
    await other.close();
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(next.status).toBe(200);
    expect(JSON.stringify(bodies().at(-1))).toContain('"reasoning_content":"My own."');
  },
);

it('nothing is kept for a team that stores no message content, and no other key gets it', async () => {
  remember();
  proxy.snapshot.addKey('sk-private-0123456789', { id: 'key_private', storesBodies: false });
  expect((await converse(task(6), { key: 'sk-private-0123456789' })).statuses).toEqual([200, 400]);
  proxy.snapshot.addKey('sk-other-0123456789', { id: 'key_other', storesBodies: true });
  const messages = [{ role: 'user', content: task(7) }];
  const first = await postJson(proxy, '/v1/chat/completions', { model: 'm', messages, tools });
  const [{ message }] = ((await first.json()) as { choices: [{ message: Message }] }).choices;
  const { tool_calls: calls } = message;
  const later = {
    model: 'm',
    tools,
    messages: [
      ...messages,
      { role: 'assistant', content: null, tool_calls: calls },
      ...(calls ?? []).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' })),
    ],
  };
  expect((await postJson(proxy, '/v1/chat/completions', later, { key: 'sk-other-0123456789' })).status).toBe(400);
  expect((await postJson(proxy, '/v1/chat/completions', later)).status).toBe(200);
  remember(false);
  expect((await postJson(proxy, '/v1/chat/completions', later)).status).toBe(400);
});

it('reasoning that the client sends is not changed, and a failing store ends no request', async () => {
  remember();
  const first = await postJson(proxy, '/v1/chat/completions', {
    model: 'm',
    messages: [{ role: 'user', content: task(8) }],
    tools,
  });
  const [{ message }] = ((await first.json()) as { choices: [{ message: Message }] }).choices;
  const later = (reasoning?: string) => ({
    model: 'm',
    tools,
    messages: [
      { role: 'user', content: task(8) },
      { role: 'assistant', content: null, tool_calls: message.tool_calls, reasoning_content: reasoning },
      ...(message.tool_calls ?? []).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' })),
    ],
  });
  expect((await postJson(proxy, '/v1/chat/completions', later('My own.'))).status).toBe(200);
  expect(JSON.stringify(bodies().at(-1))).toContain('"reasoning_content":"My own."');
  kept.findAll = () => Promise.reject(new Error('the store is away'));
  expect((await postJson(proxy, '/v1/chat/completions', later('My own.'))).status).toBe(200);
  expect((await postJson(proxy, '/v1/chat/completions', later())).status).toBe(400);
  expect(proxy.reportedErrors).toHaveLength(1);
});
