import type { Key } from '@callsmith/contracts';
import type { ModelEntry } from '@callsmith/data/snapshot';

/** The models that a key may use, of those on offer. */
export const modelsOfKey = (
  { allowedModels, kind }: Pick<Key, 'allowedModels' | 'kind'>,
  models: readonly ModelEntry[],
): ModelEntry[] =>
  models.filter(({ name, demo }) => (kind === 'demo' ? demo : (allowedModels?.includes(name) ?? true)));
