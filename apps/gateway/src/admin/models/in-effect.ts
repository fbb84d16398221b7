import type { ModelEntry } from '@callsmith/data/snapshot';
import { engineConstraints } from '@callsmith/protocols';
import type { StrategyUsed } from '@callsmith/turn';
import { constrainsNative } from '../../proxy/upstream/constrain.ts';

/** The strategy in effect for a model's requests with tools, and why. */
export interface InEffect {
  readonly strategyUsed: StrategyUsed;
  /** One sentence. */
  readonly why: string;
}

/** Resolves a model's strategy on the upstream that is used first. */
export function inEffect({
  strategy,
  routes,
  declaredTools,
  capabilities,
  choice,
}: Pick<ModelEntry, 'strategy' | 'routes' | 'declaredTools' | 'capabilities' | 'choice'>): InEffect {
  if (choice && strategy.value !== 'auto')
    return { strategyUsed: choice.strategy, why: `Set to ${strategy.value}, and moved: ${choice.why}` };
  if (strategy.value === 'strict') return underStrict({ routes, capabilities });
  if (strategy.value !== 'auto') return { strategyUsed: strategy.value, why: `Set to ${strategy.value}.` };
  if (declaredTools === false) return { strategyUsed: 'prompt', why: 'auto: declared as not supporting tools.' };
  if (declaredTools) return { strategyUsed: 'native', why: 'auto: declared as supporting tools.' };
  const [first] = routes;
  if (choice && (choice.strategy !== 'native' || first?.nativeTools !== false))
    return { strategyUsed: choice.strategy, why: `auto: ${choice.why}` };
  if (!first) return { strategyUsed: 'native', why: 'auto: no upstream serves it right now.' };
  if (first.nativeTools === false && capabilities?.tools === false)
    return { strategyUsed: 'prompt', why: `auto: ${first.upstream.name} says that this model does not support tools.` };
  if (first.nativeTools === false)
    return { strategyUsed: 'prompt', why: `auto: ${first.upstream.name} rejected tools.` };
  const seen = first.nativeTools === true ? 'accepted tools' : 'has not rejected tools so far';
  return { strategyUsed: 'native', why: `auto: ${first.upstream.name} ${seen}.` };
}

/** What `strict` resolves to: what the engine offers and was not seen to ignore. */
function underStrict({ routes: [first], capabilities }: Pick<ModelEntry, 'routes' | 'capabilities'>): InEffect {
  if (!first) return { strategyUsed: 'strict', why: 'Set to strict; no upstream serves it right now.' };
  const { upstream, nativeTools, constraints } = first;
  const { native, fields } = engineConstraints(upstream.kind, upstream.engineVersion);
  if (nativeTools !== false && native === 'always')
    return { strategyUsed: 'native', why: `Set to strict: ${upstream.name} constrains native calls by itself.` };
  if (nativeTools !== false && constrainsNative(first, { capabilities }))
    return { strategyUsed: 'strict', why: `Set to strict: tools are sent to ${upstream.name} with "strict".` };
  const field = fields.find(({ name }) => constraints?.[name] !== false);
  const text = nativeTools === false ? 'prompt' : 'native';
  if (field === undefined)
    return { strategyUsed: text, why: `Set to strict, but ${upstream.name} enforces no constraint.` };
  if (field.holds === 'calls')
    return {
      strategyUsed: 'strict',
      why: `Set to strict: ${upstream.name} constrains calls in text by ${field.name}.`,
    };
  const why = `Set to strict: ${upstream.name} can constrain a response only where a call is required (${field.name}).`;
  return { strategyUsed: text, why };
}
