import type { Call } from './evidence.ts';

/**
 * Calls, newest first, with at most half of them from one key: one key with unusual requests causes no switch. If there
 * is only one key, all its calls count, because it decides for itself.
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
