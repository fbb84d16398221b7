import { expect, it } from 'vitest';
import { postJson, testProxy } from './test-proxy.ts';
import { json, testUpstream } from './test-upstream.ts';

const upstream = await testUpstream();
const baseUrls = [upstream.baseUrl];
const proxy = await testProxy([{ name: 'm', strategy: 'prompt', dialect: 'hermes', baseUrls }]);

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [{ type: 'function', function: { name: 'read_file', parameters } }];

/** The system message of a request. */
async function prompted(): Promise<string> {
  upstream.behave(
    json(200, { choices: [{ index: 0, message: { role: 'assistant', content: 'Fine.' }, finish_reason: 'stop' }] }),
  );
  const messages = [{ role: 'user', content: 'Read it' }];
  await (await postJson(proxy, '/v1/chat/completions', { model: 'm', messages, tools })).text();
  const [last] = upstream.received.filter(({ url }) => url.endsWith('/chat/completions')).slice(-1);
  if (last === undefined) throw new Error('nothing was asked');
  const [system] = last.body.messages as [{ readonly content: string }];
  return system.content;
}

it('A-13 a tool prompt has example calls if the setting says so, and otherwise not a byte of them', async () => {
  const usual = await prompted();
  proxy.snapshot.change('m', { exampleCalls: { value: false, source: 'declared' } });
  expect(await prompted()).toBe(usual);
  proxy.snapshot.change('m', { exampleCalls: { value: true, source: 'learned' } });
  expect(await prompted()).toBe(
    `${usual}\n\nAn example of a call, with made-up values:\n\n<tool_call>\n{"name": "read_file", "arguments": {"path":"the path"}}\n</tool_call>`,
  );
  proxy.snapshot.change('m', { exampleCalls: undefined });
  expect(await prompted()).toBe(usual);
});

it('A-13 it does not mention several calls to a model that makes one at a time, and is short if the context is small', async () => {
  const usual = await prompted();
  proxy.snapshot.change('m', { contextLength: { value: 32_768, source: 'discovered' } });
  expect(await prompted()).toBe(usual);
  proxy.snapshot.change('m', { contextLength: { value: 8192, source: 'discovered' } });
  expect((await prompted()).length).toBeLessThan(usual.length - 200);
  proxy.snapshot.change('m', { contextLength: undefined, capabilities: { parallel: false } });
  expect(usual).toContain('For several calls');
  expect(await prompted()).not.toContain('several calls');
});
