import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useState } from 'react';
import { useAddress } from '../lib/address.ts';
import css from './chart.module.css';
import { countTicks, timeLabels } from './column-axes.ts';

/** A part of each column: its height in values, and what fills it. */
interface Part<Point> {
  readonly name: string;
  readonly heightOf: (point: Point) => number;
  readonly fill: string;
}

interface Drawn<Point> {
  /** Columns of time, `step` seconds each, the oldest first; `at` is a column's start. */
  readonly points: readonly Point[];
  readonly step: number;
  /** From the bottom to the top. */
  readonly parts: readonly Part<Point>[];
  /** The values beside the chart; without them whole numbers up to the highest column. */
  readonly ticks?: readonly number[] | undefined;
  readonly formatValue: (value: number) => string;
}

/** Where the columns stand, in pixels of the drawing. */
export interface Plot {
  /** The x position of an instant in milliseconds. */
  readonly xOf: (ms: number) => number;
  /** From the first column's left edge to the last one's right edge. */
  readonly width: number;
  /** Where the highest value and where zero stand. */
  readonly top: number;
  readonly bottom: number;
}

// Room for the values on the left, for the labels below, and a little on the right; in pixels.
const left = 46;
const below = 30;
const right = 4;

/** A column is at most so wide, in pixels. */
const widest = 36;

/**
 * Stacked columns over time. The pointer and the arrow keys show a column's numbers (`tipOf`); a click or Enter opens it
 * (`onOpen`); dragging across columns sets the time range of the address to them.
 * @param top Room above the highest value, in pixels, e.g. for the words of lines.
 * @param over What is drawn above the columns.
 */
export function ColumnChart<Point extends { readonly at: string }>({
  label,
  patterns,
  top = 8,
  over,
  tipOf,
  onOpen,
  ...drawn
}: Drawn<Point> & {
  label: string;
  patterns: ReactNode;
  top?: number;
  over?: (plot: Plot) => ReactNode;
  tipOf: (point: Point) => ReactNode;
  onOpen?: (point: Point) => void;
}) {
  const { points, step } = drawn;
  const { ref, width, height } = useElementSize<HTMLDivElement>();
  const band = Math.max(0, width - left - right) / Math.max(1, points.length);
  const { shown, dragged, handlers } = usePointing(points, step, band, onOpen);
  const active = shown === null ? undefined : points[shown];
  const start = Date.parse(points[0]?.at ?? '');
  const bottom = height - below;
  const plot: Plot = {
    xOf: (ms) => left + ((ms - start) / (step * 1000)) * band,
    width: width - left - right,
    top,
    bottom,
  };
  const middle = shown === null ? 0 : left + (shown + 0.5) * band;
  const gap = band / 2 + 8;
  return (
    <div ref={ref} className={css.chart}>
      <svg
        width={width}
        height={height}
        className={`${css.plot} ${onOpen ? css.leads : ''}`}
        role="application"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move between its columns
        tabIndex={0}
        {...handlers}
      >
        {width > 0 && (
          <>
            <defs>{patterns}</defs>
            <Columns {...drawn} plot={plot} band={band} />
            {shown !== null && (
              <rect className={css.cursor} x={left + shown * band} y={top} width={band} height={bottom - top} />
            )}
            {over?.(plot)}
            {dragged && (
              <rect
                className={css.dragged}
                x={left + dragged[0] * band}
                y={top}
                width={(dragged[1] - dragged[0] + 1) * band}
                height={bottom - top}
              />
            )}
          </>
        )}
      </svg>
      <div
        role="status"
        className={css.tipRoom}
        style={middle > width / 2 ? { right: width - middle + gap } : { left: middle + gap }}
      >
        {active && tipOf(active)}
      </div>
    </div>
  );
}

/** Lines with their values, the columns, and the labels below. */
function Columns<Point extends { readonly at: string }>({
  points,
  step,
  parts,
  ticks,
  formatValue,
  plot: { width, top, bottom },
  band,
}: Drawn<Point> & { plot: Plot; band: number }) {
  const most = Math.max(0, ...points.map((point) => parts.reduce((sum, { heightOf }) => sum + heightOf(point), 0)));
  const lines = ticks ?? countTicks(most);
  const yOf = (value: number) => bottom - (value / (lines.at(-1) ?? 1)) * (bottom - top);
  const starts = points.map(({ at }) => Date.parse(at));
  const { labels, half } = timeLabels(starts, step, band);
  return (
    <>
      {lines.map((value) => (
        <g key={value}>
          <line
            x1={left}
            x2={left + width}
            y1={yOf(value)}
            y2={yOf(value)}
            className={value > 0 ? css.line : css.base}
          />
          <text x={left - 8} y={yOf(value)} dy="0.35em" textAnchor="end" className={css.tick}>
            {formatValue(value)}
          </text>
        </g>
      ))}
      {parts.map(({ name, fill }, i) => (
        <path key={name} fill={fill} d={outlineOf(points, parts, i, band, yOf)} />
      ))}
      {labels.map(({ index, text }) => (
        <text
          key={points[index]?.at}
          x={Math.min(Math.max(left + (index + 0.5) * band, half), left + width + right - half)}
          y={bottom + 21}
          textAnchor="middle"
          className={css.tick}
        >
          {text}
        </text>
      ))}
    </>
  );
}

// One path for all columns of a part: hundreds of columns are four elements.
function outlineOf<Point>(
  points: readonly Point[],
  parts: readonly Part<Point>[],
  part: number,
  band: number,
  yOf: (value: number) => number,
): string {
  const wide = Math.min(widest, Math.max(0.5, points.length > 80 ? band - 1 : band * 0.84));
  return points
    .map((point, i) => {
      const under = parts.slice(0, part).reduce((sum, { heightOf }) => sum + heightOf(point), 0);
      const value = parts[part]?.heightOf(point) ?? 0;
      if (value <= 0) return '';
      const x = left + (i + 0.5) * band - wide / 2;
      return `M${x.toFixed(2)} ${yOf(under).toFixed(2)}h${wide.toFixed(2)}V${yOf(under + value).toFixed(2)}h${(-wide).toFixed(2)}Z`;
    })
    .join('');
}

/** Which column is pointed at, by the pointer or by arrow keys, and across which the pointer is dragged. */
function usePointing<Point extends { readonly at: string }>(
  points: readonly Point[],
  step: number,
  band: number,
  onOpen: ((point: Point) => void) | undefined,
) {
  const address = useAddress();
  const [pointed, setShown] = useState<number | null>(null);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  // Other columns may have come since.
  const shown = pointed === null || pointed >= points.length ? null : pointed;
  const at = ({ clientX, currentTarget }: MouseEvent): number | null => {
    const i = Math.floor((clientX - currentTarget.getBoundingClientRect().left - left) / band);
    return i >= 0 && i < points.length ? i : null;
  };
  const ends = drag && ([Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)] as const);
  const dragged = ends && ends[0] !== ends[1] ? ends : null;
  const open = (i: number | null) => {
    const point = i === null ? undefined : points[i];
    if (point) onOpen?.(point);
  };
  const end = (event: MouseEvent) => {
    setDrag(null);
    if (!drag) return;
    // Where the button was released: the last moves may not have been rendered yet.
    const released = at(event) ?? drag.to;
    if (released === drag.from) return open(released);
    const [first = '', last = ''] = [drag.from, released].sort((a, b) => a - b).map((i) => points[i]?.at);
    // What has not passed yet is no part of it.
    const to = Math.min(Date.parse(last) + step * 1000, Date.now());
    address.set({ from: new Date(first).toISOString(), to: new Date(to).toISOString(), range: null }, true);
  };
  const handlers = {
    onMouseDown: (event: MouseEvent) => {
      const i = event.button === 0 ? at(event) : null;
      setDrag(i === null ? null : { from: i, to: i });
    },
    onMouseMove: (event: MouseEvent) => {
      const i = at(event);
      setShown(i);
      if (drag && i !== null) setDrag({ ...drag, to: i });
    },
    onMouseUp: end,
    onMouseLeave: () => {
      setShown(null);
      setDrag(null);
    },
    onFocus: ({ currentTarget }: { currentTarget: Element }) => {
      if (currentTarget.matches(':focus-visible')) setShown(0);
    },
    onBlur: () => setShown(null),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter') return open(shown);
      if (event.key === 'Escape') return setShown(null);
      const moved = movedBy(event.key, shown ?? -1, points.length - 1);
      if (moved === null) return;
      event.preventDefault();
      setShown(moved);
    },
  };
  return { shown, dragged, handlers };
}

function movedBy(key: string, from: number, last: number): number | null {
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  if (key === 'ArrowRight') return Math.min(from + 1, last);
  return key === 'ArrowLeft' ? Math.max(from - 1, 0) : null;
}
