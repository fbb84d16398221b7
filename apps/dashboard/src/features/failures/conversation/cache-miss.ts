import type { TurnRow } from '@callsmith/contracts';

/** Of what its server had just seen, a request should find at least so much cached. */
const EXPECTED = 0.8;

/**
 * Whether a request found less cached than what the one before it had sent: something broke the prefix, or the cache was
 * gone. Undefined: its server does not say, or nothing was sent before.
 */
export function hadCacheMiss(before: TurnRow | undefined, turn: TurnRow): boolean | undefined {
  if (before?.inputTokens == null || turn.inputTokens === null || turn.cachedTokens === null) return undefined;
  return turn.cachedTokens < EXPECTED * Math.min(before.inputTokens, turn.inputTokens);
}

/** What else than messages leads to another cache, or to none, in sentences. */
export function cacheMissReasons(before: TurnRow, turn: TurnRow): string[] {
  const change = (what: string, old: string | null, now: string | null) =>
    old === now ? [] : [`${what} changed from ${old ?? 'none'} to ${now ?? 'none'}.`];
  return [
    ...change('The model', before.fallbackModel ?? before.model, turn.fallbackModel ?? turn.model),
    ...change('The upstream', before.upstream, turn.upstream),
    ...change('The engine version', before.engineVersion, turn.engineVersion),
    ...change('The strategy', before.strategyUsed, turn.strategyUsed),
    ...change('The dialect', before.dialect, turn.dialect),
  ];
}
