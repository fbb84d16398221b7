import type { ModelEntry } from '@callsmith/data/snapshot';
import { startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKey, startProxy, type TestProxy } from '../test/test-proxy.ts';

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let proxy: TestProxy;
beforeAll(async () => {
  simulator = await startSimulator({ models: ['weak-nothing'] });
  proxy = await startProxy([
    { name: 'weak-nothing', strategy: 'auto', dialect: 'auto', baseUrls: [`${simulator.url}/v1`] },
  ]);
});
afterAll(async () => {
  await proxy.close();
  await simulator.close();
});

const tools = [{ type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }];

async function ask(text: string) {
  const reply = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'weak-nothing', messages: [{ role: 'user', content: text }], tools }),
  });
  await reply.text();
  return reply.headers.get('x-callsmith-strategy');
}

const why = '25 of 100 failed with native.';

/** The model with what auto chose. */
function choose(conversations: readonly string[] = []): void {
  const model = proxy.snapshot.model('weak-nothing') as ModelEntry;
  const { choice: _, ...plain } = model;
  const chosen: ModelEntry = {
    ...plain,
    strategy: { value: 'prompt', source: 'learned' },
    dialect: { value: 'qwen3-coder-xml', source: 'learned' },
    chosen: { from: 'auto', why: `auto: ${why}` },
  };
  const before = {
    conversations: new Set(conversations),
    model: { ...plain, chosen: { from: 'auto' as const, why: 'auto: it began so.' } },
  };
  proxy.snapshot.change('weak-nothing', {
    choice: { strategy: 'prompt', dialect: 'qwen3-coder-xml', why, model: chosen, before },
  });
}

it('without a choice auto is unchanged, and nothing is noted', async () => {
  expect(await ask('one')).toBe('native');
  expect(proxy.recorder.turns.at(-1)).toMatchObject({ strategyUsed: 'native', strategyFirst: 'native' });
  expect(JSON.stringify(proxy.recorder.turns.at(-1)?.body?.notes ?? [])).not.toContain('auto:');
});

it('the chosen strategy of auto is sent, and the transcript says why', async () => {
  choose();
  expect(await ask('two')).toBe('prompt');
  expect(proxy.recorder.turns.at(-1)).toMatchObject({
    strategy: 'auto',
    strategyUsed: 'prompt',
    dialect: 'qwen3-coder-xml',
    fallbackModel: null,
    body: { notes: expect.arrayContaining([expect.objectContaining({ detail: `auto: ${why}` })]) },
  });
});

it('a conversation that began before keeps its strategy', async () => {
  await ask('three');
  const { conversation } = proxy.recorder.turns.at(-1) ?? {};
  choose([conversation ?? '']);
  expect(await ask('three')).toBe('native');
  expect(await ask('four')).toBe('prompt');
});

it('an experiment applies to the conversations that it draws, whatever the strategy', async () => {
  const { choice: _, ...plain } = proxy.snapshot.model('weak-nothing') as ModelEntry;
  const drawn: string[] = [];
  const tried: ModelEntry = {
    ...plain,
    strategy: { value: 'prompt', source: 'declared' },
    chosen: { from: 'native', why: 'experiment: it takes part' },
  };
  proxy.snapshot.change('weak-nothing', {
    strategy: { value: 'native', source: 'declared' },
    choice: undefined,
    experiment: { takes: (conversation) => drawn.push(conversation) % 2 === 1, model: tried },
  });
  expect([await ask('five'), await ask('six')]).toEqual(['prompt', 'native']);
  expect(new Set(drawn).size).toBe(2);
  expect(proxy.recorder.turns.map(({ conversation }) => conversation)).toEqual(expect.arrayContaining(drawn));
  expect(proxy.recorder.turns.at(-2)).toMatchObject({
    strategy: 'native',
    strategyUsed: 'prompt',
    fallbackModel: null,
  });
});

it('a strategy that was retreated from is recorded as the first one', async () => {
  const refusing = await startSimulator({ models: ['weak-refuses-tools'] });
  const other = await startProxy([
    { name: 'weak-nothing', upstreamModel: 'weak-refuses-tools', strategy: 'auto', baseUrls: [`${refusing.url}/v1`] },
  ]);
  const reply = await fetch(`${other.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'weak-nothing', messages: [{ role: 'user', content: 'one' }], tools }),
  });
  await reply.text();
  expect(other.recorder.turns.at(-1)).toMatchObject({ strategyUsed: 'prompt', strategyFirst: 'native' });
  await other.close();
  await refusing.close();
});
