import type { Call } from './evidence.ts';

/**
 * Calls, newest first, of which no key has more than all others together: one key with odd requests moves nobody. Where
 * there is one key only, it is for itself that it decides, and all its calls count.
 */
export function withoutDominantKey(calls: readonly Call[]): Call[] {
  const counts = new Map<string, number>();
  for (const { key } of calls) counts.set(key, (counts.get(key) ?? 0) + 1);
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  if (most === undefined || counts.size === 1) return [...calls];
  const [key, own] = most;
  let left = Math.min(own, calls.length - own);
  return calls.filter((call) => call.key !== key || left-- > 0);
}
