import type { Route } from '@callsmith/data/snapshot';
import type { Target } from '@callsmith/protocols';

/** Where a request goes, as the outbound adapters know it. `refused`: parameters to leave out beside those that are known to be refused there. */
export const targetOf = ({ upstream, upstreamModel, refuses }: Route, refused: readonly string[]): Target => ({
  upstream: upstream.name,
  kind: upstream.kind,
  model: upstreamModel,
  refusedParameters: refused.length === 0 ? refuses : [...refuses, ...refused],
});
