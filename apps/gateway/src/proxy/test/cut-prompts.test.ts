import { expect, it } from 'vitest';
import { postJson, testProxy } from './test-proxy.ts';
import { done, json, role, stop, stream, testUpstream, text } from './test-upstream.ts';

const upstream = await testUpstream();
const proxy = await testProxy([{ name: 'm', kind: 'ollama', baseUrls: [upstream.baseUrl], upstream: { api: 'chat' } }]);

const look = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const usage = { prompt_tokens: 2048, completion_tokens: 1 };
const whole = json(200, {
  id: 'a',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }],
  usage,
});
const streamed = stream(role, text('fine'), stop, `data: ${JSON.stringify({ choices: [], usage })}\n\n`, done);

it('a server that cuts long prompts without saying so is noticed the second time, streamed or whole', async () => {
  const long = 'The quick brown fox jumps over the lazy dog. '.repeat(1_000);
  for (const [n, isStream] of [true, false, true].entries()) {
    upstream.behave(isStream ? streamed : whole);
    const reply = await postJson(proxy, '/v1/chat/completions', {
      model: 'm',
      stream: isStream,
      messages: [{ role: 'user', content: long }],
      tools: [look],
    });
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('fine')]);
    await expect.poll(() => proxy.recorder.turns.length).toBe(n + 1);
  }
  expect(proxy.snapshot.learned).toEqual([
    {
      modelId: 'model_m',
      upstreamId: expect.any(String),
      what: 'cuts-prompts',
      value: true,
      engineVersion: '1.0',
      reason: expect.stringMatching(/^It counted 2048 tokens of a prompt of about \d{4,5}\.$/),
    },
  ]);
  const notes = proxy.recorder.turns.map(({ body }) =>
    JSON.stringify(body?.notes ?? []).includes('seems to have been cut'),
  );
  expect(notes).toEqual([false, true, false]);
});
