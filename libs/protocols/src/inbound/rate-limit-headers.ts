import type { RateLimits } from '../inbound-adapter.ts';

/**
 * The limits of a key in OpenAI's headers; the reset is a duration like `1m0s`
 * (https://platform.openai.com/docs/guides/rate-limits).
 */
export const openaiRateLimits = (limits: RateLimits): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const name of ['requests', 'tokens'] as const) {
    const rate = limits[name];
    if (rate === undefined) continue;
    headers[`x-ratelimit-limit-${name}`] = String(rate.limit);
    headers[`x-ratelimit-remaining-${name}`] = String(rate.left);
    headers[`x-ratelimit-reset-${name}`] = spanUntil(rate.resetsAt);
  }
  return headers;
};

/** The same in Anthropic's headers; the reset is an instant (https://docs.anthropic.com/en/api/rate-limits). */
export const anthropicRateLimits = (limits: RateLimits): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const name of ['requests', 'tokens'] as const) {
    const rate = limits[name];
    if (rate === undefined) continue;
    headers[`anthropic-ratelimit-${name}-limit`] = String(rate.limit);
    headers[`anthropic-ratelimit-${name}-remaining`] = String(rate.left);
    headers[`anthropic-ratelimit-${name}-reset`] = `${rate.resetsAt.toISOString().slice(0, 19)}Z`;
  }
  return headers;
};

function spanUntil(at: Date): string {
  const seconds = Math.max(0, Math.ceil((at.getTime() - Date.now()) / 1000));
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
