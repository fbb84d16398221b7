import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { anthropicRateLimits, openaiRateLimits } from './rate-limit-headers.ts';

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const rate = (limit: number, left: number, seconds: number) => ({
  limit,
  left,
  resetsAt: new Date(Date.now() + seconds * 1000),
});

test('the limits of a key in OpenAI’s headers; an absent limit has no header', () => {
  expect(openaiRateLimits({ requests: rate(60, 59, 59.2), tokens: rate(1000, 0, 12) })).toEqual({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1m0s',
    'x-ratelimit-limit-tokens': '1000',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': '12s',
  });
  expect(openaiRateLimits({})).toEqual({});
});

test('the same in Anthropic’s headers, with the time of the reset', () => {
  expect(anthropicRateLimits({ tokens: rate(1000, 7, 12) })).toEqual({
    'anthropic-ratelimit-tokens-limit': '1000',
    'anthropic-ratelimit-tokens-remaining': '7',
    'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:12Z',
  });
});
