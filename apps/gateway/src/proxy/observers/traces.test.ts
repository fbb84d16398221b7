import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKey, startProxy } from '../test/test-proxy.ts';
import { call, done, json, startUpstream, stop, stream, type TestUpstream } from '../test/test-upstream.ts';
import type { Tracing } from './traces.ts';

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('sdk-trace'));

let upstream: TestUpstream;
let collector: Server;
let endpoint: string;
let tracing: Tracing;
let proxy: Awaited<ReturnType<typeof startProxy>>;
/** All that the collector was sent. */
const bodies: string[] = [];
const paths: (string | undefined)[] = [];
const problems: string[] = [];
const canary = 'canary-7h1s-1s-n0t-t0-b3-t0ld';
let loadedBefore: string[];

beforeAll(async () => {
  upstream = await startUpstream();
  collector = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => {
      paths.push(request.url);
      bodies.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((ready) => collector.listen(0, '127.0.0.1', ready));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  loadedBefore = loaded();
  const { startTracing } = await import('./traces.ts');
  tracing = startTracing({ endpoint, productVersion: '1.2.3', reportProblem: (message) => problems.push(message) });
  proxy = await startProxy([{ name: 'team/glm', upstreamModel: 'glm-4', baseUrls: [upstream.baseUrl] }], {
    observerFactories: [tracing.observerFactory],
  });
});

afterAll(async () => {
  await proxy.close();
  await tracing.stop();
  await upstream.close();
  await new Promise((closed) => collector.close(closed));
});

const ask = (model: string) =>
  fetch(`${proxy.url}/v1/chat/completions?${canary}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-trace': canary },
    body: JSON.stringify({
      model,
      stream: true,
      messages: [{ role: 'user', content: canary }],
      tools: [{ type: 'function', function: { name: 'read', description: canary, parameters: { type: 'object' } } }],
    }),
  }).then((reply) => reply.text());

/** The spans that come next. */
async function spans(): Promise<Span[]> {
  for (let tries = 0; bodies.length === 0 && tries < 500; tries++) await new Promise((wait) => setTimeout(wait, 10));
  return bodies.splice(0).flatMap((body) => {
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { arrayValue } = value as { arrayValue?: { values?: Record<string, unknown>[] } };
      return [
        key,
        arrayValue ? (arrayValue.values ?? []).map((one) => Object.values(one)[0]) : Object.values(value)[0],
      ];
    }),
  );

it('is not loaded before somebody asks for it', () => {
  expect(loadedBefore).toEqual([]);
  expect(loaded()).not.toEqual([]);
});

it('makes one span of a turn, by the conventions for generative AI, and tells nothing that was said', async () => {
  const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5 } })}\n\n`;
  upstream.behave(stream(call(0, 'read', `{"path":"${canary}"}`), stop, usage, done));
  const before = Date.now();
  expect(await ask('team/glm')).toContain(canary);
  const sent = await spans();
  expect(paths).toEqual(['/v1/traces']);
  expect(sent).toHaveLength(1);
  const span = sent[0] as Span;
  expect(span).toMatchObject({ name: 'chat team/glm', kind: 3, status: { code: 0 } });
  expect(Number(span.startTimeUnixNano) / 1e6).toBeGreaterThan(before - 1000);
  expect(Number(span.endTimeUnixNano)).toBeGreaterThan(Number(span.startTimeUnixNano));
  expect(attributesOf(span)).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'vllm',
    'gen_ai.request.model': 'team/glm',
    'gen_ai.response.model': 'glm-4',
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 5,
    'server.address': '127.0.0.1',
    'http.response.status_code': 200,
    'callsmith.strategy': 'auto',
    'callsmith.strategy_used': 'native',
    'callsmith.outcome': 'clean',
    'callsmith.tools_offered': 1,
    'callsmith.calls': 1,
    'callsmith.attempts': 1,
    'callsmith.turn': expect.stringMatching(/^turn_[0-9a-f]{32}$/),
  });
  expect(JSON.stringify(sent)).not.toContain(canary);
  expect(JSON.stringify(sent)).not.toContain(apiKey);
});

it('a turn that fails is an error by its code, without the words of the server', async () => {
  upstream.behave(json(400, { error: { message: canary } }));
  await ask('team/glm');
  const [span] = await spans();
  expect(span?.status).toEqual({ code: 2 });
  expect(attributesOf(span as Span)).toMatchObject({ 'error.type': expect.stringMatching(/^[a-z_]+$/) });
  expect(JSON.stringify(span)).not.toContain(canary);
});

it('a name that is no model of ours is not told', async () => {
  await ask(canary);
  const [span] = await spans();
  expect(span?.name).toBe('chat');
  expect(attributesOf(span as Span)).toMatchObject({ 'error.type': 'model_not_found' });
  expect(JSON.stringify(span)).not.toContain(canary);
});
