import { digestOf, hashKeyDigest } from '@callsmith/data/secrets';
import type { ConfigSnapshot, KeyEntry } from '@callsmith/data/snapshot';
import { afterEach, expect, it } from 'vitest';
import { identifyKey } from '../request/identify-key.ts';
import { apiKey, secretKey, startProxy, type TestProxy } from './test-proxy.ts';

const conversations = { repeats: 10, excess: 'refuse' } as const;
const proxies: TestProxy[] = [];

afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

async function statusOf(config: { secretKey: string; previousSecretKey?: string }): Promise<[number, string[]]> {
  const proxy = await startProxy([], { config: { ...config, conversations } });
  proxies.push(proxy);
  const ask = () => fetch(`${proxy.url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  await ask();
  return [(await ask()).status, proxy.snapshot.rehashed];
}

const newKey = 'another secret of tests, long enough to be one';

it('D-41 an API key stored under the former SECRET_KEY keeps working and is rehashed once', async () => {
  expect(await statusOf({ secretKey: newKey, previousSecretKey: secretKey })).toEqual([200, ['key_test']]);
});

it('D-41 without the former SECRET_KEY it is unknown', async () => {
  expect(await statusOf({ secretKey: newKey })).toEqual([401, []]);
});

it('a key that was imported by its SHA-256 is known under the former SECRET_KEY too, and is rehashed', () => {
  const key = 'sk-made-elsewhere-0123456789';
  const stored = hashKeyDigest(secretKey, digestOf(key));
  const rehashed: string[] = [];
  const entry = { id: 'key_imported' } as KeyEntry;
  const snapshot = {
    stale: false,
    key: (hash: string) => (hash === stored ? entry : undefined),
    rehash: (id: string, hash: string) => rehashed.push(`${id} ${hash}`),
  } as unknown as ConfigSnapshot;
  const headers = { authorization: `Bearer ${key}` };
  expect(identifyKey(headers, snapshot, { secretKey: newKey, previousSecretKey: secretKey })).toBe(entry);
  expect(rehashed).toEqual([`key_imported ${hashKeyDigest(newKey, digestOf(key))}`]);
  expect(() => identifyKey(headers, snapshot, { secretKey: newKey })).toThrow('unknown, revoked or expired');
});
