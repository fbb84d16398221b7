/** About how many grid lines a chart has at most, apart from its base. */
const lines = 4;

/** The values at which lines are drawn from 0 to at least `most`: whole numbers, apart by 1, 2 or 5 times a power of ten. */
export function countTicks(most: number): number[] {
  const rough = Math.max(1, most / lines);
  const power = 10 ** Math.floor(Math.log10(rough));
  const apart = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  const steps = Math.max(1, Math.ceil(most / apart));
  return Array.from({ length: steps + 1 }, (_, i) => i * apart);
}

// About the width of a character and the least room between two labels, in pixels.
const character = 6.4;
const room = 36;

/**
 * Which columns of `labels` carry their label, `band` pixels for each column: the last one always, none too near to another.
 * `half` is half the width of the widest label in pixels.
 */
export function labelled(labels: readonly string[], band: number): { indexes: number[]; half: number } {
  const width = character * Math.max(0, ...labels.map((label) => label.length));
  const every = Math.max(1, Math.ceil((width + room) / band));
  const indexes = labels.map((_, i) => i).filter((i) => (labels.length - 1 - i) % every === 0);
  return { indexes, half: width / 2 };
}
