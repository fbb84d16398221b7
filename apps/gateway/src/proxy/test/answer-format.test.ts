import { afterAll, beforeAll, expect, it } from 'vitest';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { json, startUpstream, type TestUpstream } from './test-upstream.ts';

let upstream: TestUpstream;
let proxy: TestProxy;
beforeAll(async () => {
  upstream = await startUpstream();
  proxy = await startProxy([{ name: 'm', strategy: 'prompt', baseUrls: [upstream.baseUrl] }]);
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];

it.each([
  ['{"answer":4}', []],
  ['{"answer":"four"}', ['SchemaMismatch']],
  ['It is four.', ['InvalidJson']],
  ['<tool_call>{"name":"f","arguments":{}}</tool_call>', []],
])('under prompt the model gets response_format in words, and %j gives the findings %j', async (content, classes) => {
  const message = { role: 'assistant', content };
  upstream.behave(json(200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: { prompt_tokens: 1 } }));
  const reply = await postJson(proxy, '/v1/chat/completions', {
    model: 'm',
    messages: [{ role: 'user', content: 'two and two?' }],
    tools,
    response_format: { type: 'json_schema', json_schema: { name: 'sum', schema } },
  });
  expect(reply.status).toBe(200);
  const { body } = upstream.received[0] ?? {};
  expect(body).not.toHaveProperty('response_format');
  expect(JSON.stringify(body?.messages)).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
  expect(proxy.recorder.turns.at(-1)?.classes.filter((name) => name !== 'LeakedCall')).toEqual(classes);
});
