import type { ModelEntry } from '@callsmith/data/snapshot';
import type { StrategyUsed } from '@callsmith/turn';

/** What runs now for a model whose tools are on offer, and why. */
export interface InEffect {
  readonly strategyUsed: StrategyUsed;
  /** One sentence. */
  readonly why: string;
}

/** Tells what the strategy of a model comes to on the upstream that is asked first. */
export function inEffect({
  strategy,
  routes,
  declaredTools,
  capabilities,
}: Pick<ModelEntry, 'strategy' | 'routes' | 'declaredTools' | 'capabilities'>): InEffect {
  if (strategy.value !== 'auto') return { strategyUsed: strategy.value, why: `Set to ${strategy.value}.` };
  if (declaredTools === false) return { strategyUsed: 'prompt', why: 'auto: declared as not supporting tools.' };
  if (declaredTools) return { strategyUsed: 'native', why: 'auto: declared as supporting tools.' };
  const [first] = routes;
  if (!first) return { strategyUsed: 'native', why: 'auto: no upstream serves it right now.' };
  if (first.nativeTools === false && capabilities?.tools === false)
    return { strategyUsed: 'prompt', why: `auto: ${first.upstream.name} says that this model does not support tools.` };
  if (first.nativeTools === false)
    return { strategyUsed: 'prompt', why: `auto: ${first.upstream.name} rejected tools.` };
  const seen = first.nativeTools === true ? 'accepted tools' : 'has not rejected tools so far';
  return { strategyUsed: 'native', why: `auto: ${first.upstream.name} ${seen}.` };
}
