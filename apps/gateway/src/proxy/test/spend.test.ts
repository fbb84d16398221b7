import type { Amounts, Limiter } from '@callsmith/data/limits';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { postJson, startProxy, type TestProxy } from './test-proxy.ts';
import { json, startUpstream, type TestUpstream } from './test-upstream.ts';

let upstream: TestUpstream;
let proxy: TestProxy;
const reservations: Amounts[] = [];
const finished: Amounts[] = [];
const key = 'sk-budget-0123456789';

beforeAll(async () => {
  upstream = await startUpstream();
  proxy = await startProxy([{ name: 'm', baseUrls: [upstream.baseUrl] }], {
    limiter: {
      ratesLeft: () => ({}),
      spent: async () => undefined,
      reserve: async (_, ask) => {
        reservations.push(ask);
        return { ok: true, finish: (used) => finished.push(used) };
      },
    } satisfies Pick<Limiter, 'reserve' | 'ratesLeft' | 'spent'>,
  });
  proxy.snapshot.addKey(key, {
    id: 'key_budget',
    budgets: [{ of: 'key', unit: 'spend', period: 'day', limit: 1_000_000, counter: 'spend:key_budget' }],
  });
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});
beforeEach(() => {
  reservations.length = 0;
  finished.length = 0;
});

const price = (value: object) =>
  proxy.snapshot.change('m', { price: { value: value as { input: number; output: number }, source: 'declared' } });

const ask = () =>
  postJson(
    proxy,
    '/v1/chat/completions',
    { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'x'.repeat(384) }] },
    { key },
  ).then((reply) => reply.json());

const usage = { prompt_tokens: 1000, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 600 } };
const answer = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage,
};

it('spend is reserved by the estimate, finished and recorded by actual usage, at the price of that moment', async () => {
  upstream.behave(json(200, answer));
  price({ input: 2, cachedInput: 0.5, output: 10 });
  await ask();
  expect(reservations).toEqual([{ tokens: 200, spend: 100 * 2 + 100 * 10 }]);
  expect(finished).toEqual([{ tokens: 1020, spend: 400 * 2 + 600 * 0.5 + 20 * 10 }]);
  expect(proxy.recorder.turns.at(-1)?.spend).toBe(1300);
  price({ input: 4, output: 10 });
  await ask();
  expect(proxy.recorder.turns.at(-1)?.spend).toBe(4200);
  expect(proxy.recorder.turns.at(-2)?.spend).toBe(1300);
});

it('a model without a price costs nothing, and its record says that it has none', async () => {
  upstream.behave(json(200, answer));
  proxy.snapshot.change('m', { price: undefined });
  await ask();
  expect(finished).toEqual([{ tokens: 1020, spend: 0 }]);
  expect(proxy.recorder.turns.at(-1)?.spend).toBeNull();
});
