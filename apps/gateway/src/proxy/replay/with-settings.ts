import type { ModelEntry } from '@callsmith/data/snapshot';
import type { StrategyName } from '@callsmith/turn';

/**
 * A model with other settings, as if an admin had declared them. With `auto` what was learned about the model still
 * applies.
 */
export const withSettings = (
  model: ModelEntry,
  { strategy, dialect }: { readonly strategy: StrategyName; readonly dialect: string },
): ModelEntry => ({
  ...model,
  choice: strategy === 'auto' ? model.choice : undefined,
  experiment: undefined,
  strategy: { value: strategy, source: 'declared' },
  dialect: { value: dialect, source: 'declared' },
});
