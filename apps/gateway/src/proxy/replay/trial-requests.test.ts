import type { TrialRequest } from '@callsmith/jobs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { postJson, startProxy, type TestProxy } from '../test/test-proxy.ts';
import {
  call,
  chunk,
  done,
  json,
  open,
  role,
  startUpstream,
  stop,
  stream,
  type TestUpstream,
  text,
} from '../test/test-upstream.ts';
import { TrialRequests } from './trial-requests.ts';

let upstream: TestUpstream;
let proxy: TestProxy;
beforeEach(async () => {
  upstream = await startUpstream();
  proxy = await startProxy([{ name: 'm', strategy: 'auto', dialect: 'hermes', baseUrls: [upstream.baseUrl] }]);
});
afterEach(async () => {
  await proxy.close();
  await upstream.close();
});

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const messages = [{ role: 'user', content: 'Read a.txt' }];
const request = (more: object = {}) =>
  JSON.stringify({
    model: 'an alias',
    stream: true,
    messages,
    tools: [{ type: 'function', function: { name: 'read', parameters } }],
    ...more,
  });

const tried = (
  more: Partial<TrialRequest> = {},
  { maxWaitMs, signal }: { maxWaitMs?: number; signal?: AbortSignal } = {},
) =>
  new TrialRequests(proxy.proxy, proxy.snapshot, maxWaitMs).tryRequest(
    {
      modelId: 'model_m',
      strategy: 'prompt',
      dialect: 'hermes',
      request: request(),
      route: '/v1/chat/completions',
      keyId: null,
      ...more,
    },
    signal ?? new AbortController().signal,
  );

const written = '<tool_call>\n{"name": "read", "arguments": {"path": "a.txt"}}\n</tool_call>';

it('uses the strategy and dialect under trial; no observers are notified', async () => {
  upstream.behave(stream(role, text(written), stop, done));
  const answer = await tried();
  expect(answer).toMatchObject({ outcome: 'clean', calls: 1, classes: [], errorCode: null });
  expect(upstream.received[0]?.body).not.toHaveProperty('tools');
  expect(upstream.received[0]?.body.model).toBe('m');
  expect(JSON.stringify(upstream.received[0]?.body.messages)).toContain('<tool_call>');
  upstream.behave(stream(role, call(0, 'read', '{"path": "a.txt"}'), chunk({}, 'tool_calls'), done));
  expect(await tried({ strategy: 'native' })).toMatchObject({ outcome: 'clean', calls: 1 });
  expect(upstream.received[0]?.body).toHaveProperty('tools');
  expect(proxy.recorder.turns).toEqual([]);
  expect(await proxy.metrics.registry.metrics()).not.toMatch(/^callsmith_turns_total\{/m);
  expect(proxy.reportedErrors).toEqual([]);
});

it('ends as it would for a client: a response cut off while streaming is an error, and is not retried', async () => {
  upstream.behave((response) => {
    open(response);
    response.write(role + text('I will read it.'));
    setTimeout(() => response.destroy(), 50);
  });
  expect(await tried()).toMatchObject({ outcome: null, errorCode: 'upstream_cut_off' });
  expect(upstream.received).toHaveLength(1);
});

it('a refusal of tools is the result: the strategy under trial has no fallback, and nothing is learned', async () => {
  upstream.behave(json(400, { error: { message: 'm does not support tools' } }));
  expect(await tried({ strategy: 'native' })).toMatchObject({ outcome: null, errorCode: 'upstream_rejected' });
  expect(proxy.snapshot.learned).toEqual([]);
});

it('an upstream that fails with the strategy under trial stays in rotation for other requests', async () => {
  upstream.behave(json(500, { error: { message: 'the template has no tools' } }));
  const all = await Promise.all(Array.from({ length: 5 }, () => tried({ strategy: 'native' })));
  expect(all.map(({ errorCode }) => errorCode)).toEqual(Array(5).fill('upstream_error'));
  expect(proxy.proxy.breaker.openModels()).toEqual([]);
});

it('D-29 continues from the stored response of its key, and stores none itself', async () => {
  upstream.behave(stream(role, text('Hello.'), stop, done));
  const tools = [{ type: 'function', name: 'read', parameters }];
  const first = await postJson(proxy, '/v1/responses', { model: 'm', input: 'Say hello', tools });
  const { id } = (await first.json()) as { id: string };
  upstream.behave(stream(role, text(written), stop, done));
  const trialRequest = {
    route: '/v1/responses',
    request: JSON.stringify({ model: 'm', input: 'Read a.txt', previous_response_id: id, tools }),
  };
  expect(await tried({ ...trialRequest, keyId: 'key_test' })).toMatchObject({ outcome: 'clean', calls: 1 });
  expect(JSON.stringify(upstream.received[0]?.body.messages)).toContain('Say hello');
  expect(await tried({ ...trialRequest, keyId: 'key_other' })).toMatchObject({ errorCode: 'response_not_found' });
});

it('a request that cannot be sent gives the reason', async () => {
  expect(await tried({ request: '{"model": "m"… (7 more characters were not kept)' })).toMatchObject({
    outcome: null,
    errorCode: 'invalid_json',
  });
  expect(await tried({ modelId: 'model_gone' })).toMatchObject({ errorCode: 'model_not_found' });
});

it('a response that does not end times out', async () => {
  upstream.behave((response) => {
    open(response);
    const talks = setInterval(() => response.write(text('and ')), 20);
    response.once('close', () => clearInterval(talks));
  });
  expect(await tried({}, { maxWaitMs: 200 })).toMatchObject({ outcome: null, errorCode: 'upstream_timeout' });
  await upstream.received[0]?.hungUp;
});

it('a cancelled one aborts its upstream request; one whose gateway stops says so', async () => {
  upstream.behave(open);
  const stopping = new AbortController();
  const cancelled = tried({}, { signal: stopping.signal });
  await expect.poll(() => upstream.received.length).toBe(1);
  stopping.abort();
  await cancelled;
  await upstream.received[0]?.hungUp;
  const left = tried();
  await expect.poll(() => upstream.received.length).toBe(2);
  await Promise.all([expect(left).rejects.toMatchObject({ code: 'shutting_down' }), proxy.proxy.stop(5_000)]);
  await expect(tried()).rejects.toMatchObject({ code: 'shutting_down' });
});
