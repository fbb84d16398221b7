import type { Model } from '@callsmith/contracts';

type Found = Pick<Model, 'name'> & {
  readonly dialect: Pick<Model['dialect'], 'value'>;
  readonly routes: readonly Pick<Model['routes'][number], 'upstream'>[];
};

/** The models of whose name, dialect and upstreams every word of the search is a part, in any case. */
export function findModels<M extends Found>(models: readonly M[], search: string): readonly M[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return models;
  return models.filter(({ name, dialect, routes }) => {
    const text = [name, dialect.value, ...routes.map(({ upstream }) => upstream)].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
