import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import type { Target } from '@callsmith/protocols';

/** Where a request goes, as the outbound adapters know it. `refused`: parameters to leave out beside those that are known to be refused there. */
export function targetOf(
  { upstream, upstreamModel, refuses }: Route,
  refused: readonly string[],
  { contextLength, keepsReasoning }: Pick<ModelEntry, 'contextLength' | 'keepsReasoning'>,
): Target {
  return {
    upstream: upstream.name,
    kind: upstream.kind,
    model: upstreamModel,
    ...(contextLength?.source === 'declared' && { contextTokens: contextLength.value }),
    keepsReasoning: keepsReasoning.value,
    refusedParameters: refused.length === 0 ? refuses : [...refuses, ...refused],
  };
}
