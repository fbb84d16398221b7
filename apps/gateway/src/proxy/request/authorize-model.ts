import type { ConfigSnapshot, KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import { Fault } from '@callsmith/turn';
import type { Fallback } from '../upstream/completion-job.ts';

/** The models that a key may use, by name. */
export const modelsFor = (key: KeyEntry, snapshot: ConfigSnapshot): readonly ModelEntry[] =>
  snapshot.models().filter((model) => mayUse(key, model));

/** The model that a request asks for. Throws `model_not_found`, naming the models that this key may use. */
export function authorizeModel(key: KeyEntry, name: string, snapshot: ConfigSnapshot): ModelEntry {
  const model = snapshot.model(name);
  if (model !== undefined && mayUse(key, model)) return model;
  const names = modelsFor(key, snapshot).map((known) => known.name);
  // A model that this key may not use is refused like one that does not exist.
  throw new Fault('model_not_found', `There is no model "${short(name)}" for this key. ${listed(names)}`, {
    param: 'model',
  });
}

/** Those fallbacks of a model that are there and that a key may use; undefined: it has none. */
export function fallbacksFor(key: KeyEntry, model: ModelEntry, snapshot: ConfigSnapshot): Fallback[] | undefined {
  return model.fallback?.value.flatMap(({ model: name, on }) => {
    const other = snapshot.model(name);
    return other !== undefined && other.id !== model.id && mayUse(key, other) ? [{ model: other, on }] : [];
  });
}

/** The model that writes another's calls, if it is there and the key may use it. */
export function delegateFor(key: KeyEntry, model: ModelEntry, snapshot: ConfigSnapshot): ModelEntry | undefined {
  const other = model.delegate && snapshot.model(model.delegate.value);
  return other !== undefined && other.id !== model.id && mayUse(key, other) ? other : undefined;
}

function mayUse(key: KeyEntry, model: ModelEntry): boolean {
  if (key.kind === 'demo') return model.demo;
  return key.allowedModels === undefined || key.allowedModels.has(model.name);
}

const short = (name: string): string => (name.length > 200 ? `${name.slice(0, 200)}…` : name);

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'It may use none: no upstream has listed a model yet, or the key allows none.';
  const shown = names.slice(0, 50).join(', ');
  return names.length > 50 ? `It may use: ${shown} and ${names.length - 50} more.` : `It may use: ${shown}.`;
}
