import { checkSettings, settingsFrom } from '@callsmith/config';
import { NEEDS_REDIS, testRedis } from '@callsmith/testing';
import { describe, expect, it } from 'vitest';
import { RedisWatch } from './redis-watch.ts';

const watching = (redisUrl: string | undefined) => {
  const settings = settingsFrom(checkSettings({ env: {}, file: {} }), '/');
  return new RedisWatch({ ...settings, redisUrl, databaseUrl: '', secretKey: '', root: '/' });
};

it('without REDIS_URL there is nothing to tell', () => {
  expect(watching(undefined).state).toBeNull();
});

it('a Redis that never answered is away since the start', async () => {
  const watch = watching('redis://127.0.0.1:1');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(watch.state).toEqual({ ok: false, since: expect.any(String) });
  watch.onApplicationShutdown();
});

describe.skipIf(testRedis() === undefined)(`with a Redis (${NEEDS_REDIS})`, () => {
  it('is well once it answers', async () => {
    const watch = watching(testRedis());
    for (let n = 0; n < 100 && !watch.state?.ok; n++) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(watch.state).toEqual({ ok: true, since: null });
    watch.onApplicationShutdown();
  });
});
