/**
 * p-values adjusted for how many hypotheses were tested, in the given order: each below 0.05 is significant although all
 * were looked at. Source: Holm 1979, step-down.
 */
export function holm(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((a, b) => (values[a] ?? 1) - (values[b] ?? 1));
  const adjusted = [...values];
  let least = 0;
  for (const [rank, at] of order.entries()) {
    least = Math.max(least, Math.min(1, (values[at] ?? 1) * (values.length - rank)));
    adjusted[at] = least;
  }
  return adjusted;
}
