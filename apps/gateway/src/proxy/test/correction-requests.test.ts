import { engineConstraints } from '@callsmith/protocols';
import type { StrategyUsed, UpstreamKind } from '@callsmith/turn';
import { upstreamKinds } from '@callsmith/turn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKey, startProxy } from './test-proxy.ts';
import { json, type ReceivedRequest, startUpstream, type TestUpstream } from './test-upstream.ts';

let upstream: TestUpstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

type Api = 'chat' | 'responses' | 'ollama';

const versions: Readonly<Partial<Record<UpstreamKind, string>>> = {
  vllm: '0.14.0',
  sglang: '0.5.23',
  llamacpp: 'b9000',
  ollama: '0.21.0',
  lmstudio: '0.4.0',
};
const strategies: readonly StrategyUsed[] = ['native', 'prompt', 'strict'];
const apisOf = (kind: UpstreamKind): readonly Api[] =>
  kind === 'ollama' ? ['ollama', 'chat', 'responses'] : ['chat', 'responses'];
const cases = upstreamKinds.flatMap((kind) =>
  strategies.flatMap((strategy) => apisOf(kind).map((api) => ({ kind, strategy, api }))),
);

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 80 }, unit: { enum: ['celsius', 'kelvin'] } },
  required: ['city'],
};
const asked = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How is the weather in Köln?' },
  ],
  tools: [{ type: 'function', function: { name: 'weather', description: 'Tells the weather.', parameters } }],
  temperature: 0.2,
  seed: 7,
};

/** Answers with a call without its required argument, and then with a good one, in the way in which it was asked. */
function answer({ url, body }: ReceivedRequest, args: object): object {
  const call = { name: 'weather', arguments: JSON.stringify(args) };
  const text = `<tool_call>\n${JSON.stringify({ name: 'weather', arguments: args })}\n</tool_call>`;
  const native = Array.isArray(body.tools);
  if (url.endsWith('/api/chat')) {
    const message = native
      ? { role: 'assistant', content: '', tool_calls: [{ function: { name: 'weather', arguments: args } }] }
      : { role: 'assistant', content: text };
    return { model: 'm', created_at: '2026-11-23T01:00:00Z', message, done: true, done_reason: 'stop' };
  }
  if (url.endsWith('/responses')) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    const output = native
      ? [{ type: 'function_call', id: 'f1', call_id: 'c1', status: 'completed', ...call }]
      : [{ type: 'message', id: 'm1', role: 'assistant', status: 'completed', content }];
    return { id: 'r1', object: 'response', status: 'completed', model: 'm', output };
  }
  const message = native
    ? { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: call }] }
    : { role: 'assistant', content: text };
  const finish_reason = native ? 'tool_calls' : 'stop';
  return {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason }],
  };
}

describe('D-35 both requests of a correction, as they go to each kind of engine', () => {
  it.each(cases)('$kind, $strategy, $api', async ({ kind, strategy, api }) => {
    const engineVersion = versions[kind];
    const proxy = await startProxy([
      {
        name: 'model',
        strategy,
        dialect: 'hermes',
        kind,
        baseUrls: [upstream.baseUrl],
        upstream: { api, ...(engineVersion !== undefined && { engineVersion }) },
      },
    ]);
    try {
      const routes = proxy.snapshot.model('model')?.routes ?? [];
      const heeded = engineConstraints(kind, engineVersion).fields.map(({ name }) => [name, true]);
      proxy.snapshot.change('model', {
        routes: routes.map((route) => ({ ...route, constraints: Object.fromEntries(heeded) })),
      });
      const given = [{ unit: 'kelvin' }, { city: 'Köln' }];
      upstream.behave(
        ...given.map(
          (args) => (response: Parameters<ReturnType<typeof json>>[0], received: ReceivedRequest) =>
            json(200, answer(received, args))(response, received),
        ),
      );
      const reply = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ model: 'model', ...asked }),
      });
      expect(JSON.stringify(await reply.json())).toContain('K\u00f6ln');
      const sent = upstream.received.filter(({ url }) => /\/(?:chat\/completions|responses|api\/chat)$/.test(url));
      expect(sent).toHaveLength(2);
      const [first, second] = sent.map(({ url, body }) => ({ url, body }));
      await expect(`${JSON.stringify({ first, second }, null, 2)}\n`).toMatchFileSnapshot(
        `fixtures/corrections/${kind}-${strategy}-${api}.json`,
      );
    } finally {
      await proxy.close();
    }
  });
});
