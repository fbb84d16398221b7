import type { Key } from '@callsmith/contracts';
import type { ModelEntry } from '@callsmith/data/snapshot';

/** The listed models that a key may use. */
export const modelsOfKey = (
  { allowedModels, kind }: Pick<Key, 'allowedModels' | 'kind'>,
  models: readonly ModelEntry[],
): ModelEntry[] =>
  models.filter(({ name, demo }) => (kind === 'demo' ? demo : (allowedModels?.includes(name) ?? true)));
