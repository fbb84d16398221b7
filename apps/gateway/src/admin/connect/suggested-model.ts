import type { OwnKey } from '@callsmith/contracts';

/**
 * The model with the best valid rate: of those with enough calls, the one with the highest lower bound of its interval.
 */
export function suggestedModel(models: OwnKey['models']): string | null {
  const measured = models.flatMap(({ name, valid }) => (valid && !valid.few ? [{ name, valid }] : []));
  const [best] = measured.sort((a, b) => b.valid.low - a.valid.low || b.valid.n - a.valid.n);
  return best?.name ?? null;
}
