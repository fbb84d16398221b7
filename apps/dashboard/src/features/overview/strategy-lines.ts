import type { Overview } from './queries.ts';

/** What is marked beside strategy changes, e.g. a new engine version. */
export interface Marked {
  readonly marks?: readonly { readonly at: string; readonly label: string }[];
}

interface Line {
  readonly at: string;
  readonly label: string;
  /** Its label is on its left, because there is no room on its right. */
  readonly late: boolean;
}

// About the width of a line's words, in pixels.
const words = 150;

/** A line for each strategy change and mark in range; changes too close together to read, on a chart `width` pixels wide, share one. */
export function linesOf(
  { changes, series, step, marks = [] }: Pick<Overview, 'changes' | 'series' | 'step'> & Marked,
  width: number,
): Line[] {
  const room = words / Math.max(words, width);
  const isLate = (place: number) => place > 1 - room;
  // Lines whose words run towards each other need twice the room.
  const apart = (place: number) => (isLate(place) ? 2 * room : room);
  const start = Date.parse(series[0]?.at ?? '');
  const span = series.length * step * 1000;
  // `place`: 0 is the start of the range, 1 its end.
  const lines: { at: string; place: number; labels: string[] }[] = [];
  const labelled = changes.map(({ at, model, toStrategy }) => ({ at, label: `${model}: ${toStrategy}` }));
  for (const { at, label } of [...labelled, ...marks].sort((a, b) => a.at.localeCompare(b.at))) {
    const place = (Date.parse(at) - start) / span;
    if (!(place >= 0 && place <= 1)) continue;
    const last = lines.at(-1);
    if (last && place - last.place < apart(place)) last.labels.push(label);
    else lines.push({ at, place, labels: [label] });
  }
  return lines.map(({ at, place, labels }) => ({
    at,
    late: isLate(place),
    label: labels.length === 1 ? (labels[0] ?? '') : `${labels.at(-1)} (${labels.length} changes)`,
  }));
}
