import type { Key } from '@callsmith/contracts';
import type { ModelEntry } from '@callsmith/data/snapshot';

/** The listed models that a key may use, demo models last, since a client is set up with the first one. */
export const modelsOfKey = (
  { allowedModels, kind }: Pick<Key, 'allowedModels' | 'kind'>,
  models: readonly ModelEntry[],
): ModelEntry[] =>
  models
    .filter(({ name, demo }) => (kind === 'demo' ? demo : (allowedModels?.includes(name) ?? true)))
    .sort((a, b) => Number(a.demo) - Number(b.demo));
