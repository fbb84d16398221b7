import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import type { Target } from '@callsmith/protocols';

/**
 * The target of a request, as outbound adapters need it. `refused`: parameters to leave out, in addition to those the
 * route is known to refuse.
 */
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
