import type { SupportFound } from '@callsmith/data/probes';
import { startSimulator } from '@callsmith/simulator';
import { afterEach, expect, it } from 'vitest';
import { startProxy, type TestProxy } from '../test/test-proxy.ts';
import { ProbeRequests } from './probe-requests.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function supportOf(model: string): Promise<{ found: readonly SupportFound[]; proxy: TestProxy }> {
  const simulator = await startSimulator({ models: [model] });
  open.push(simulator);
  const proxy = await startProxy([{ name: model, baseUrls: [`${simulator.url}/v1`] }]);
  open.push(proxy);
  const of = { modelId: `model_${model}`, upstreamId: `up_${new URL(simulator.url).port}` };
  return {
    found: await new ProbeRequests(proxy.proxy, proxy.snapshot).support(of, new AbortController().signal),
    proxy,
  };
}

const byName = (found: readonly SupportFound[]) =>
  Object.fromEntries(found.map(({ what, support }) => [what, support]));

it('finds by its effect what a server accepts, and learns nothing by asking', async () => {
  const { found, proxy } = await supportOf('sim-reasoning');
  expect(byName(found)).toMatchObject({
    tools: 'works',
    'tool_choice: required': 'works',
    'tool_choice: a named tool': 'works',
    'tool_choice: none': 'works',
    'response_format: json_schema': 'no effect',
    usage: 'works',
    'stream_options: include_usage': 'works',
    'reasoning in answers': 'works',
    logprobs: 'no effect',
    n: 'works',
    seed: 'taken',
    tokenizer: 'works',
  });
  expect(found.at(-1)?.what).toBe('tokenizer');
  expect(proxy.snapshot.learned).toEqual([]);
});

it('quotes a server that refuses', async () => {
  const { found } = await supportOf('sim-refuses-tools');
  expect(found.find(({ what }) => what === 'tools')).toEqual({
    what: 'tools',
    support: 'refused',
    detail: 'HTTP 400: "auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  });
  expect(byName(found)).toMatchObject({ seed: 'taken', 'tool_choice: none': 'works' });
});

it.each([
  ['an overloaded server', 503],
  ['a server without chat completions', 404],
])('%s leaves it unknown, and does not count as a refusal', async (_name, status) => {
  const { found } = await supportOf(`sim-native@faults=status-${status}`);
  const chat = found.filter(({ what }) => what !== 'tokenizer');
  expect(new Set(chat.map(({ support }) => support))).toEqual(new Set(['unknown']));
});
