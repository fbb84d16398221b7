import type { ModelEntry } from '@callsmith/data';

/** What runs now for a model whose tools are on offer, and why. */
export interface InEffect {
  readonly strategyUsed: 'native' | 'prompt';
  /** One sentence. */
  readonly why: string;
}

/** Tells what the strategy of a model comes to on the upstream that is asked first. */
export function inEffect({
  strategy,
  routes,
  declaredTools,
}: Pick<ModelEntry, 'strategy' | 'routes' | 'declaredTools'>): InEffect {
  if (strategy.value !== 'auto') return { strategyUsed: strategy.value, why: `Set to ${strategy.value}.` };
  if (declaredTools === false) return { strategyUsed: 'prompt', why: 'auto: it is declared to take no tools.' };
  if (declaredTools) return { strategyUsed: 'native', why: 'auto: it is declared to take tools.' };
  const [first] = routes;
  if (!first) return { strategyUsed: 'native', why: 'auto: no upstream serves it right now.' };
  if (first.nativeTools === false)
    return { strategyUsed: 'prompt', why: `auto: ${first.upstream.name} was seen to refuse tools.` };
  const seen = first.nativeTools === true ? 'was seen to take tools' : 'has not refused tools so far';
  return { strategyUsed: 'native', why: `auto: ${first.upstream.name} ${seen}.` };
}
