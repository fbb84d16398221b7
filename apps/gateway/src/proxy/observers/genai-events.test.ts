import { afterEach, expect, it, vi } from 'vitest';
import { type LogEvent, startCollector, type TestCollector } from '../test/test-collector.ts';
import { apiKey, startProxy, type TestProxy } from '../test/test-proxy.ts';
import { call, done, json, startUpstream, stop, stream, type TestUpstream } from '../test/test-upstream.ts';
import { type GenAiEvents, startGenAiEvents } from './genai-events.ts';
import { startTracing, type Tracing } from './traces.ts';

const canary = 'canary-7h1s-1s-n0t-t0-b3-t0ld';
const secret = 'sk-0123456789abcdef0123456789';
const details = 'gen_ai.client.inference.operation.details';
const exception = 'gen_ai.client.operation.exception';

interface Running {
  readonly upstream: TestUpstream;
  readonly collector: TestCollector;
  readonly tracing: Tracing | undefined;
  readonly events: GenAiEvents;
  readonly proxy: TestProxy;
}
let running: Running | undefined;

afterEach(async () => {
  vi.unstubAllEnvs();
  await running?.proxy.close();
  await Promise.all([running?.events.stop(), running?.tracing?.stop()]);
  await Promise.all([running?.upstream.close(), running?.collector.close()]);
  running = undefined;
});

async function start(options: { content?: boolean; traces?: boolean } = {}): Promise<Running> {
  const upstream = await startUpstream();
  const collector = await startCollector();
  vi.stubEnv('OTEL_BLRP_SCHEDULE_DELAY', '20');
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20');
  const common = { productVersion: '1.2.3', reportProblem: () => {} };
  const tracing = options.traces === false ? undefined : startTracing({ ...common, url: `${collector.url}/v1/traces` });
  const events = startGenAiEvents({
    ...common,
    url: `${collector.url}/v1/logs`,
    content: options.content === true,
    contextOf: tracing?.contextOf,
  });
  const proxy = await startProxy([{ name: 'team/glm', upstreamModel: 'glm-4', baseUrls: [upstream.baseUrl] }], {
    observerFactories: [...(tracing ? [tracing.observerFactory] : []), events.observerFactory],
  });
  running = { upstream, collector, tracing, events, proxy };
  return running;
}

const tools = [
  {
    type: 'function',
    function: {
      name: 'read',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
];

async function ask({ proxy }: Running, headers: Record<string, string> = {}, body: object = {}): Promise<void> {
  const messages = [{ role: 'user', content: `${canary} ${secret}` }];
  const reply = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'team/glm', messages, tools, stream: true, ...body }),
  });
  await reply.text();
}

const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5 } })}\n\n`;
const good = stream(call(0, 'read', `{"path":"${canary}"}`), stop, usage, done);
const named = (events: readonly LogEvent[], name: string) => events.filter(({ eventName }) => eventName === name);

it('a request is one event with its details, in the trace of its span, without message content', async () => {
  const product = await start();
  product.upstream.behave(good);
  await ask(product);
  const [span] = (await product.collector.spans(2)).filter(({ name }) => name.startsWith('chat'));
  const events = await product.collector.events();
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    eventName: details,
    severityNumber: 5,
    traceId: span?.traceId,
    spanId: span?.spanId,
    resource: { 'service.name': 'callsmith' },
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'vllm',
      'gen_ai.request.model': 'team/glm',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.response.finish_reasons': ['tool_calls'],
    },
  });
  expect(Number(events[0]?.timeUnixNano) / 1e6).toBeGreaterThan(Date.now() - 60_000);
  expect(JSON.stringify(events)).not.toContain(canary);
});

it('message content is included when enabled, as lists and objects, with secrets masked', async () => {
  const product = await start({ content: true });
  product.upstream.behave(good);
  await ask(product);
  const events = await product.collector.events();
  const { attributes } = events[0] as LogEvent;
  expect(attributes['gen_ai.input.messages']).toMatchObject([
    { role: 'user', parts: [{ type: 'text', content: expect.stringContaining(canary) }] },
  ]);
  expect(attributes['gen_ai.output.messages']).toMatchObject([
    { role: 'assistant', parts: [{ type: 'tool_call', name: 'read' }], finish_reason: 'tool_calls' },
  ]);
  expect(attributes['gen_ai.tool.definitions']).toMatchObject([
    { type: 'function', name: 'read', parameters: { required: ['path'] } },
  ]);
  expect(JSON.stringify(events)).not.toContain(secret);
});

it('a request that failed is a second event, a warning with the error\u2019s code and not its text', async () => {
  const product = await start();
  product.upstream.behave(json(400, { error: { message: `no: ${canary}` } }));
  await ask(product);
  await ask(product, {}, { model: 'unknown-model' });
  const events = await product.collector.events(4);
  const failures = named(events, exception);
  expect(named(events, details)).toHaveLength(2);
  expect(failures).toHaveLength(2);
  for (const { severityNumber, attributes, traceId } of failures) {
    expect(severityNumber).toBe(13);
    expect(attributes['exception.type']).toBe(attributes['error.type']);
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  }
  expect(failures.map(({ attributes }) => attributes['exception.type'])).toContain('model_not_found');
  expect(JSON.stringify(events)).not.toContain(canary);
});

it('an unsampled trace has only the failure event', async () => {
  const product = await start();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
  product.upstream.behave(good, json(400, { error: { message: 'no' } }));
  await ask(product, { traceparent });
  await ask(product, { traceparent });
  const events = await product.collector.events();
  expect(events.map(({ eventName }) => eventName)).toEqual([exception]);
  expect(events[0]?.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
});

it('events are sent without traces too', async () => {
  const product = await start({ traces: false });
  product.upstream.behave(good);
  await ask(product);
  const events = await product.collector.events();
  expect(events).toMatchObject([{ eventName: details }]);
  expect(events[0]?.traceId || undefined).toBeUndefined();
});
