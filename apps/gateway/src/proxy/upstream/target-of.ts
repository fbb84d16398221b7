import type { Route } from '@callsmith/data/snapshot';
import type { Target } from '@callsmith/protocols';

/** Where a request goes, as the outbound adapters know it. `refused`: parameters to leave out beside those the upstream is known to refuse. */
export const targetOf = ({ upstream, upstreamModel }: Route, refused: readonly string[]): Target => ({
  upstream: upstream.name,
  kind: upstream.kind,
  model: upstreamModel,
  refusedParameters: refused.length === 0 ? upstream.refuses : [...upstream.refuses, ...refused],
});
