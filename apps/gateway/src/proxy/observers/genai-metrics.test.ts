import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Point, startCollector, type TestCollector } from '../test/test-collector.ts';
import { apiKey, postJson, startProxy, type TestProxy } from '../test/test-proxy.ts';
import { chunk, done, json, role, startUpstream, stream, type TestUpstream, text } from '../test/test-upstream.ts';
import { type GenAiMetrics, startGenAiMetrics } from './genai-metrics.ts';

let upstream: TestUpstream;
let collector: TestCollector;
let metrics: GenAiMetrics;
let proxy: TestProxy;

beforeAll(async () => {
  upstream = await startUpstream();
  collector = await startCollector();
  vi.stubEnv('OTEL_METRIC_EXPORT_INTERVAL', '600000');
  const url = `${collector.url}/v1/metrics`;
  metrics = startGenAiMetrics({ url, productVersion: '1.2.3', reportProblem: () => {} });
  proxy = await startProxy([{ name: 'team/glm', upstreamModel: 'glm-4', baseUrls: [upstream.baseUrl] }], {
    observerFactories: [metrics.observerFactory],
  });
});

afterAll(async () => {
  await proxy.close();
  await upstream.close();
  await collector.close();
});

const usage = {
  prompt_tokens: 12,
  completion_tokens: 5,
  prompt_tokens_details: { cached_tokens: 7, cache_write_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

it('metrics are sent by the names, units and bounds of the conventions for generative AI', async () => {
  const body = { model: 'team/glm', messages: [{ role: 'user', content: 'Hi' }] };
  const frames = ['a', 'b', 'c'].map(text);
  const counted = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
  upstream.behave(
    stream(role, ...frames, chunk({}, 'stop'), counted, done),
    json(200, { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }], usage }),
    json(400, { error: { message: 'no' } }),
  );
  for (const more of [{ stream: true }, {}, {}])
    await postJson(proxy, '/v1/chat/completions', { ...body, ...more }).then((reply) => reply.text());
  await postJson(proxy, '/v1/chat/completions', { ...body, model: apiKey }).then((reply) => reply.text());
  await proxy.proxy.stop(0);
  await metrics.stop();
  const points = await collector.points();
  const common = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'vllm',
    'gen_ai.request.model': 'team/glm',
    'gen_ai.response.model': 'glm-4',
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(upstream.baseUrl).port),
  };
  const of = (name: string): Point[] => points.filter((point) => point.name === `gen_ai.client.inference.${name}`);
  const seconds = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
  const tokens = Array.from({ length: 14 }, (_, power) => 4 ** power);

  const durations = of('duration');
  expect(durations.map(({ attributes }) => attributes['error.type'])).toEqual(
    expect.arrayContaining([undefined, 'upstream_rejected', 'model_not_found']),
  );
  expect(durations.find(({ attributes }) => attributes['error.type'] === undefined)).toMatchObject({
    unit: 's',
    count: 2,
    bounds: seconds,
    attributes: common,
  });
  expect(of('time_to_first_chunk')).toMatchObject([{ unit: 's', count: 1, bounds: seconds, attributes: common }]);
  expect(of('time_per_output_chunk')).toMatchObject([{ unit: 's', bounds: seconds, attributes: common }]);
  expect(of('time_per_output_chunk')[0]?.count).toBeGreaterThanOrEqual(3);
  for (const [name, sum] of [
    ['input', 24],
    ['output', 10],
  ] as const)
    expect(of(`operation.${name}_tokens`)).toMatchObject([
      { unit: '{token}', count: 2, sum, bounds: tokens, attributes: common },
    ]);
  for (const [name, value] of [
    ['input_tokens', 24],
    ['output_tokens', 10],
    ['cache_read.input_tokens', 14],
    ['cache_write.input_tokens', 6],
    ['reasoning.output_tokens', 4],
  ] as const)
    expect(of(`usage.${name}`)).toMatchObject([
      { unit: '{token}', value, attributes: { ...common, 'gen_ai.token.modality': 'unknown' } },
    ]);
  expect(JSON.stringify(points)).not.toContain(apiKey);
});
