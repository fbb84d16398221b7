import { axisFormat, formatDay } from '../lib/format.ts';

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
const room = 44;

const minute = 60_000;
const day = 1440 * minute;

/** How far apart the labels of times may be, in milliseconds: what people count in. */
const spans = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720].map((minutes) => minutes * minute),
  ...[1, 2, 3, 4, 7, 14, 28, 91].map((days) => days * day),
];

/** A label of an axis and the column under which it stands. */
interface ColumnLabel {
  readonly index: number;
  readonly text: string;
}

/**
 * The labels under columns of time, at full hours or days of the local time, none too near to another: the first column
 * that reaches such a moment carries it; where none does, the last column has the only label.
 * @param starts When each column starts, in milliseconds, the oldest first.
 * @param step Seconds of a column.
 * @param band Pixels of a column.
 * @returns The labels, and half the width of the widest in pixels.
 */
export function timeLabels(
  starts: readonly number[],
  step: number,
  band: number,
): { labels: ColumnLabel[]; half: number } {
  const clock = form(axisFormat(starts.length, step), starts);
  const date = form(formatDay, starts);
  const formOf = (span: number) => (span >= day ? date : clock);
  const fits = (span: number) => (span / (step * 1000)) * band >= formOf(span).width + room;
  const span = spans.find((one) => one >= step * 1000 && fits(one)) ?? Number.POSITIVE_INFINITY;
  const { text, width } = formOf(span);
  // The number of spans that have passed at an instant, by the clock on the wall.
  const passed = (at: number) => Math.floor((at - new Date(at).getTimezoneOffset() * minute) / span);
  const labels = starts.flatMap((at, index) => {
    const ends = at + step * 1000 - 1;
    return passed(ends) > passed(at - 1) ? [{ index, text: text(span >= day ? ends : at) }] : [];
  });
  const last = starts.at(-1);
  if (labels.length > 0 || last === undefined) return { labels, half: width / 2 };
  return { labels: [{ index: starts.length - 1, text: text(last) }], half: width / 2 };
}

/** A form of label with the width of the widest in pixels. */
const form = (text: (at: number) => string, starts: readonly number[]) => ({
  text,
  width: character * Math.max(0, ...starts.map((at) => text(at).length)),
});
