import type { ModelEntry } from '@callsmith/data/snapshot';
import type { StrategyUsed } from '@callsmith/turn';

/** A model as if an admin had set it so. */
export const withSettings = (
  model: ModelEntry,
  { strategy, dialect }: { readonly strategy: StrategyUsed; readonly dialect: string },
): ModelEntry => ({
  ...model,
  choice: undefined,
  experiment: undefined,
  strategy: { value: strategy, source: 'declared' },
  dialect: { value: dialect, source: 'declared' },
});
