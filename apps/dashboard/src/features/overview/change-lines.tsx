import { ReferenceLine, useChartWidth } from 'recharts';
import css from './outcomes-chart.module.css';
import type { Overview } from './queries.ts';
import { linesOf, type Marked } from './strategy-lines.ts';

/** The instants at which the chart begins and ends, in milliseconds. */
export function spanOf({ series, step }: Overview): [number, number] {
  const start = Date.parse(series[0]?.at ?? '');
  return [start, start + series.length * step * 1000];
}

/** A line where a strategy was changed, on the chart's axis `time`, with its words above it. */
export function ChangeLines({ data }: { data: Overview & Marked }) {
  const width = useChartWidth() ?? 0;
  return linesOf(data, width).map(({ at, label, late }) => (
    <ReferenceLine
      key={at}
      xAxisId="time"
      x={Date.parse(at)}
      className={css.change ?? ''}
      label={({ viewBox }: { viewBox: { x: number; y: number } }) => (
        <text
          x={viewBox.x + (late ? 3 : -3)}
          y={viewBox.y - 8}
          textAnchor={late ? 'end' : 'start'}
          className={css.label}
        >
          {label.length > 30 ? `${label.slice(0, 28)}…` : label}
        </text>
      )}
    />
  ));
}
