import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deferred } from '../record/deferred-work.ts';
import { postJson, startProxy, type TestProxy } from '../test/test-proxy.ts';
import { json, startUpstream, stop, stream, type TestUpstream, text } from '../test/test-upstream.ts';

let upstream: TestUpstream;
let other: TestUpstream;
let proxy: TestProxy;

beforeAll(async () => {
  upstream = await startUpstream();
  other = await startUpstream();
  proxy = await startProxy([
    { name: 'team/glm', baseUrls: [upstream.baseUrl, other.baseUrl] },
    { name: 'caller', strategy: 'native', baseUrls: [upstream.baseUrl] },
  ]);
});

afterAll(async () => {
  await proxy.close();
  await upstream.close();
  await other.close();
});

/** The series of a metric as they stand on the page, by their labels. */
async function series(name: string): Promise<Record<string, number>> {
  deferred.flush();
  const page = await proxy.metrics.registry.metrics();
  const lines = page.split('\n').filter((line) => line.startsWith(`${name}{`));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(name.length, at), Number(line.slice(at + 1))];
    }),
  );
}

const ask = (body: object): Promise<string> =>
  postJson(proxy, '/v1/chat/completions', {
    model: 'team/glm',
    messages: [{ role: 'user', content: 'Hi' }],
    ...body,
  }).then((reply) => reply.text());

const usage = { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 7 } };
const whole = (message: object) =>
  json(200, { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }], usage });

describe('/metrics', () => {
  it('counts tokens, duration and first token by model and upstream', async () => {
    upstream.behave(stream(text('Hi'), stop, `data: ${JSON.stringify({ choices: [], usage })}\n\n`));
    await ask({ stream: true });
    const place = 'model="team/glm",upstream="gpu0"';
    expect(await series('callsmith_tokens_total')).toEqual({
      [`{${place},kind="input"}`]: 12,
      [`{${place},kind="cached_input"}`]: 7,
      [`{${place},kind="output"}`]: 5,
    });
    expect(await series('callsmith_request_seconds_count')).toEqual({ [`{${place}}`]: 1 });
    expect(await series('callsmith_first_token_seconds_count')).toEqual({ [`{${place}}`]: 1 });
  });

  it('D-44 counts the tokens of all tries, and each request to a model server by how it ended', async () => {
    const calling = (args: object) =>
      whole({
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: JSON.stringify(args) } }],
      });
    upstream.behave(calling({}), calling({ path: 'a' }));
    const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    await ask({ model: 'caller', tools: [{ type: 'function', function: { name: 'read', parameters } }] });
    const tokens = await series('callsmith_tokens_total');
    expect(tokens['{model="caller",upstream="gpu0",kind="input"}']).toBe(24);
    upstream.behave(json(500, { error: { message: 'no' } }));
    other.behave(whole({ content: 'Hi' }));
    await ask({});
    expect(await series('callsmith_upstream_attempts_total')).toMatchObject({
      '{upstream="gpu0",purpose="attempt",result="unusable"}': 1,
      '{upstream="gpu0",purpose="correction",result="ok"}': 1,
      '{upstream="gpu0",purpose="attempt",result="failed"}': 1,
      '{upstream="gpu1",purpose="attempt",result="ok"}': 1,
    });
  });

  it('has a bounded number of series, whatever models, clients and tools a client makes up', async () => {
    upstream.behave(whole({ content: 'Hi' }));
    const lines = async () => {
      deferred.flush();
      return (await proxy.metrics.registry.metrics()).split('\n').length;
    };
    const hostile = (at: number) => ({
      model: `made"up\n{x="${at}"} ${at}\u2028`,
      tools: [{ type: 'function', function: { name: `tool_${at}` } }],
    });
    await ask(hostile(0));
    await ask({ tools: hostile(0).tools });
    const before = await lines();
    for (let at = 1; at < 40; at++) {
      await ask(hostile(at));
      await fetch(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'user-agent': `me ${at}`, 'content-type': 'application/json', authorization: 'Bearer no' },
        body: '{}',
      });
      await ask({ tools: hostile(at).tools });
    }
    // The refused key makes series of its own, once.
    expect((await lines()) - before).toBeLessThan(20);
    expect(await proxy.metrics.registry.metrics()).not.toMatch(/made|tool_1|me 1/);
  });
});
