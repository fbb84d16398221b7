import { expect, it } from 'vitest';
import type { KeyEntry } from '../snapshot/config-snapshot.ts';
import { BoundedStore } from './bounded-store.ts';
import type { LimitStore } from './limit-store.ts';
import { Limiter } from './limiter.ts';

/** A store that accepts requests and never answers, like a stopped Redis behind an open connection. */
function hanging(): LimitStore & { requestCount: number } {
  const ask = (): Promise<never> => {
    store.requestCount++;
    return new Promise(() => {});
  };
  const store = {
    requestCount: 0,
    lease: ask,
    add: ask,
    read: ask,
    acquireStream: ask,
    runningStreams: ask,
    releaseStream: ask,
    renewStreams: ask,
  };
  return store;
}

/** A key with every kind of limit: its requests use the store five times. */
const limited = {
  id: 'key_1',
  requestsPerMinute: 100,
  tokensPerMinute: 100_000n,
  concurrentStreams: 10,
  budgets: [{ of: 'key', unit: 'tokens', period: 'month', limit: 1_000_000, counter: 'budget:key_1' }],
} as Partial<KeyEntry> as KeyEntry;

it('D-30 a store that hangs delays a request by less than 2 s in all, and the next ones not at all', async () => {
  const store = hanging();
  const limiter = new Limiter(new BoundedStore(store));
  const took: number[] = [];
  for (let request = 0; request < 3; request++) {
    const began = performance.now();
    expect((await limiter.reserve(limited, { tokens: 10, spend: 0 })).ok).toBe(true);
    took.push(performance.now() - began);
  }
  expect(Math.max(...took)).toBeLessThan(2_000);
  expect(store.requestCount).toBeLessThan(6);
});

it('a store that is back is used again after a second', async () => {
  let works = false;
  const store = { ...hanging(), read: () => (works ? Promise.resolve(7) : Promise.reject(new Error('away'))) };
  const bounded = new BoundedStore(store);
  await expect(bounded.read('x', 'day')).rejects.toThrow('away');
  works = true;
  await expect(bounded.read('x', 'day')).rejects.toThrow('a moment ago');
  await expect.poll(() => bounded.read('x', 'day').catch(() => undefined), { timeout: 3_000 }).toBe(7);
});
