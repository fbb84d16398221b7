import type { OwnKey } from '@callsmith/contracts';

/** The model whose valid rate is surely highest: of those measured enough, the one whose interval begins highest. */
export function suggestedModel(models: OwnKey['models']): string | null {
  const measured = models.flatMap(({ name, valid }) => (valid && !valid.few ? [{ name, valid }] : []));
  const [best] = measured.sort((a, b) => b.valid.low - a.valid.low || b.valid.n - a.valid.n);
  return best?.name ?? null;
}
