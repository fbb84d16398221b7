import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Breaker } from '../attempts/breaker.ts';
import { apiKey, postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { done, json, open, role, startUpstream, stop, stream, type TestUpstream, text } from './test-upstream.ts';

let first: TestUpstream;
let second: TestUpstream;
let proxy: TestProxy;
const onlyFirst = 'sk-only-first-0123456789';

beforeAll(async () => {
  [first, second] = await Promise.all([startUpstream(), startUpstream()]);
  proxy = await startProxy(
    [
      { name: 'small', baseUrls: [first.baseUrl] },
      { name: 'large', baseUrls: [second.baseUrl] },
      { name: 'spare', baseUrls: [second.baseUrl] },
    ],
    { breaker: new Breaker({ failures: 100, restMs: 60_000 }) },
  );
  proxy.snapshot.addKey(onlyFirst, { id: 'key_small', allowedModels: new Set(['small']) });
  const fallback = (...value: { model: string; on: 'context' | 'outage' }[]) => ({
    fallback: { value, source: 'declared' as const },
  });
  proxy.snapshot.change('small', fallback({ model: 'large', on: 'context' }, { model: 'spare', on: 'outage' }));
  proxy.snapshot.change('spare', fallback({ model: 'small', on: 'outage' }));
});
afterAll(async () => {
  await proxy.close();
  await Promise.all([first.close(), second.close()]);
});
beforeEach(() => second.behave(json(200, answer)));

const answer = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'from the other' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
};
const tooLong = json(400, {
  error: {
    message: "This model's maximum context length is 10 tokens. However, you requested 20 tokens in the messages.",
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
});
/** With it nothing has to be estimated, which takes its time. */
const counted = `data: ${JSON.stringify({ id: 'up-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: answer.usage })}\n\n`;
const away = json(503, { error: { message: 'no worker', type: 'server_error' } });

const ask = async (body: object = {}, key = apiKey) => {
  const reply = await postJson(
    proxy,
    '/v1/chat/completions',
    { model: 'small', messages: [{ role: 'user', content: 'hi' }], ...body },
    { key },
  );
  return { status: reply.status, model: reply.headers.get('x-callsmith-model'), text: await reply.text() };
};
const lastRow = () => proxy.recorder.turns.at(-1);

it('a prompt that is too long goes to the model for long ones; header and record name the model that answered', async () => {
  first.behave(tooLong);
  const { status, model, text: responseText } = await ask();
  expect([status, model]).toEqual([200, 'large']);
  expect(responseText).toContain('from the other');
  expect(JSON.parse(responseText).model).toBe('small');
  expect(second.received[0]?.body.model).toBe('large');
  expect(lastRow()).toMatchObject({ model: 'small', modelId: 'model_large', fallbackModel: 'large', status: 200 });
});

it('while no upstream answers, the model for outages does, in streams too', async () => {
  first.behave(away);
  second.behave(stream(role, text('streamed'), stop, counted, done));
  const { status, model, text: responseText } = await ask({ stream: true });
  expect([status, model]).toEqual([200, 'spare']);
  expect(responseText).toContain('streamed');
  await expect.poll(lastRow).toMatchObject({ fallbackModel: 'spare' });
});

it('a model that answers is named as itself', async () => {
  first.behave(json(200, answer));
  expect((await ask()).model).toBe('small');
  expect(lastRow()).toMatchObject({ modelId: 'model_small', fallbackModel: null });
  expect(second.received).toEqual([]);
});

it('an error in the request itself goes nowhere else', async () => {
  first.behave(json(400, { error: { message: 'temperature must be below 2', type: 'invalid_request_error' } }));
  expect((await ask()).status).toBe(400);
  expect(second.received).toEqual([]);
});

it('security 6: a model that the key may not use is never a fallback', async () => {
  first.behave(tooLong);
  const { status, text: responseText } = await ask({}, onlyFirst);
  expect(status).toBe(400);
  expect(responseText).toContain('context_length_exceeded');
  expect(second.received).toEqual([]);
});

it('there are no cycles: a fallback’s own fallbacks are not followed', async () => {
  first.behave(away);
  second.behave(away);
  const { status } = await ask();
  expect(status).toBeGreaterThanOrEqual(500);
  expect(second.received.every(({ body }) => body.model === 'spare')).toBe(true);
  expect(first.received.length + second.received.length).toBeLessThanOrEqual(8);
});

it('D-23 after the first byte no other model takes over', async () => {
  first.behave((response) => {
    open(response);
    response.write(role + text('half'), () => setTimeout(() => response.destroy(), 20));
  });
  const { text: responseText } = await ask({ stream: true });
  expect(responseText).toContain('half');
  expect(responseText).toContain('error');
  expect(second.received).toEqual([]);
});
