import { engineConstraints } from '@callsmith/protocols';
import type { StrategyUsed, UpstreamKind } from '@callsmith/turn';
import { upstreamKinds } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { apiKey, startProxy, type TestProxy } from './test-proxy.ts';
import { type Behavior, json, testUpstream } from './test-upstream.ts';

const upstream = await testUpstream();

type Api = 'chat' | 'responses' | 'ollama';

interface Place {
  /** What its recorded requests are called by. */
  readonly engine: string;
  readonly kind: UpstreamKind;
  readonly version?: string;
}

const engines: readonly Place[] = [
  { engine: 'vllm', kind: 'vllm', version: '0.14.0' },
  // Before 0.12 it takes other constraints.
  { engine: 'vllm-0.11', kind: 'vllm', version: '0.11.2' },
  { engine: 'sglang', kind: 'sglang', version: '0.5.23' },
  { engine: 'llamacpp', kind: 'llamacpp', version: 'b9000' },
  { engine: 'ollama', kind: 'ollama', version: '0.21.0' },
  { engine: 'lmstudio', kind: 'lmstudio', version: '0.4.0' },
  { engine: 'openai', kind: 'openai' },
];
const strategies: readonly StrategyUsed[] = ['native', 'prompt', 'strict'];
const apisOf = (kind: UpstreamKind): readonly Api[] =>
  kind === 'ollama' ? ['ollama', 'chat', 'responses'] : ['chat', 'responses'];
const places = engines.flatMap((place) => apisOf(place.kind).map((api) => ({ ...place, api })));
const cases = places.flatMap((place) => strategies.map((strategy) => ({ ...place, strategy })));

it('every kind of engine is covered', () => {
  expect([...new Set(engines.map(({ kind }) => kind))].sort()).toEqual([...upstreamKinds].sort());
});

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 80 }, unit: { enum: ['celsius', 'kelvin'] } },
  required: ['city'],
};
const requestBody = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How is the weather in Köln?' },
  ],
  tools: [{ type: 'function', function: { name: 'weather', description: 'Tells the weather.', parameters } }],
  temperature: 0.2,
  seed: 7,
};

/** A whole answer with text or calls, in the form of the API by which it was asked. */
function answered(url: string, reply: { readonly text?: string; readonly args?: object }): object {
  const { text = '', args } = reply;
  const call = args && { name: 'weather', arguments: JSON.stringify(args) };
  if (url.endsWith('/api/chat')) {
    const tool_calls = args && [{ function: { name: 'weather', arguments: args } }];
    const message = { role: 'assistant', content: text, ...(tool_calls && { tool_calls }) };
    return { model: 'm', created_at: '2026-11-23T01:00:00Z', message, done: true, done_reason: 'stop' };
  }
  if (url.endsWith('/responses')) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    const item = call
      ? { type: 'function_call', id: 'f1', call_id: 'c1', status: 'completed', ...call }
      : { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content };
    return { id: 'r1', object: 'response', status: 'completed', model: 'm', output: [item] };
  }
  const message = call
    ? { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: call }] }
    : { role: 'assistant', content: text };
  const choices = [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }];
  return { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices };
}

/** Answers with a call of these arguments: natively where tools are offered, else in text. */
const calls =
  (args: object): Behavior =>
  (response, received) => {
    const text = `<tool_call>\n${JSON.stringify({ name: 'weather', arguments: args })}\n</tool_call>`;
    const reply = Array.isArray(received.body.tools) ? { args } : { text };
    return json(200, answered(received.url, reply))(response, received);
  };

const replyWith =
  (text: string): Behavior =>
  (response, received) =>
    json(200, answered(received.url, { text }))(response, received);

/** Where a model is, set to be asked by this API. */
const placeOf = ({ kind, version }: Place, api: Api) => {
  const known = version === undefined ? {} : { engineVersion: version };
  return { dialect: 'hermes', kind, baseUrls: [upstream.baseUrl], upstream: { api, ...known } };
};

/** Both requests that it takes until the call is there. */
async function bothRequests(proxy: TestProxy): Promise<string> {
  const reply = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'model', ...requestBody }),
  });
  expect(JSON.stringify(await reply.json())).toMatch(/"finish_reason":"tool_calls"/);
  const sent = upstream.received.filter(({ url }) => /\/(?:chat\/completions|responses|api\/chat)$/.test(url));
  expect(sent).toHaveLength(2);
  const [first, second] = sent.map(({ url, body }) => ({ url, body }));
  return `${JSON.stringify({ first, second }, null, 2)}\n`;
}

describe('D-35 both requests of a correction, as they are sent to each kind of engine', () => {
  it.each(cases)('$engine, $strategy, $api', async ({ strategy, api, ...place }) => {
    const proxy = await startProxy([{ name: 'model', strategy, ...placeOf(place, api) }]);
    try {
      const routes = proxy.snapshot.model('model')?.routes ?? [];
      const heeded = engineConstraints(place.kind, place.version).fields.map(({ name }) => [name, true]);
      proxy.snapshot.change('model', {
        routes: routes.map((route) => ({ ...route, constraints: Object.fromEntries(heeded) })),
      });
      upstream.behave(calls({ unit: 'kelvin' }), calls({ city: 'Köln' }));
      await expect(await bothRequests(proxy)).toMatchFileSnapshot(
        `fixtures/corrections/${place.engine}-${strategy}-${api}.json`,
      );
    } finally {
      await proxy.close();
    }
  });
});

describe('H-9 both requests of a delegation, as they are sent to each kind of engine', () => {
  it.each(places)('$engine, $api', async ({ engine, api, ...at }) => {
    const place = placeOf({ engine, ...at }, api);
    const proxy = await startProxy([
      { name: 'model', ...place },
      { name: 'caller', strategy: 'native', ...place },
    ]);
    try {
      proxy.snapshot.change('model', { delegate: { value: 'caller', source: 'declared' } });
      upstream.behave(replyWith('I ask for it.\nCALL weather: city Köln'), calls({ city: 'Köln' }));
      await expect(await bothRequests(proxy)).toMatchFileSnapshot(`fixtures/delegations/${engine}-${api}.json`);
    } finally {
      await proxy.close();
    }
  });
});
