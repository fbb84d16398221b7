import { type KeyboardEvent, type RefObject, useEffect, useId, useRef } from 'react';
import { useNavigate } from 'react-router';
import { Bar, BarChart, CartesianGrid, Tooltip, useActiveTooltipLabel, XAxis, YAxis } from 'recharts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { callOutcomes, judged } from '../../lib/outcomes.ts';
import { columnGaps, timeAxis, valueAxis } from '../../ui/axes.ts';
import chart from '../../ui/chart.module.css';
import { useDragRange } from '../../ui/use-drag-range.tsx';
import { ChangeLines, spanOf } from './change-lines.tsx';
import { ColumnTip } from './column-tip.tsx';
import css from './outcomes-chart.module.css';
import type { Overview } from './queries.ts';
import type { Marked } from './strategy-lines.ts';

type Point = Overview['series'][number];
type Unit = 'share' | 'count';
type CallOutcome = (typeof callOutcomes)[number];

/** Stacked columns, the worst at the bottom; each outcome has its own pattern, so that colour is never alone. */
export function OutcomesChart({
  data,
  unit,
  failuresAt,
}: {
  data: Overview & Marked;
  unit: Unit;
  failuresAt: (point: Point) => string;
}) {
  const { series } = data;
  const navigate = useNavigate();
  const pattern = useId();
  // The column with the tip, by mouse or by arrow keys.
  const shown = useRef<string | undefined>(undefined);
  const open = (at: unknown) => {
    const point = series.find((one) => one.at === at);
    if (point) void navigate(failuresAt(point));
  };
  const { handlers, area } = useDragRange(data.step, open);
  const onKeyDown = ({ key }: KeyboardEvent) => key === 'Enter' && open(shown.current);
  return (
    <div className={chart.chart} onKeyDownCapture={onKeyDown}>
      <BarChart
        responsive
        data={series}
        className={`${chart.plot} ${css.leads}`}
        margin={{ top: 26, right: 4, bottom: 0, left: 0 }}
        {...columnGaps(series.length)}
        {...handlers}
        aria-label="Calls by outcome over time: arrow keys move between columns, Enter opens the column’s failures; drag to zoom"
      >
        <Patterns id={pattern} />
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis {...timeAxis(series.length, data.step)} />
        <XAxis
          xAxisId="time"
          dataKey={({ at }: Point) => Date.parse(at)}
          type="number"
          domain={spanOf(data)}
          allowDataOverflow
          hide
        />
        <YAxis
          {...valueAxis}
          {...(unit === 'share' ? { domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] } : { allowDecimals: false })}
          tickFormatter={unit === 'share' ? formatShare : formatCount}
        />
        <Tooltip
          content={({ active, payload }) =>
            active && payload[0] ? <ColumnTip point={payload[0].payload as Point} /> : null
          }
          cursor={{ className: chart.cursor ?? '' }}
          isAnimationActive={false}
        />
        {[...callOutcomes].reverse().map((outcome) => (
          <Bar
            key={outcome}
            name={outcome}
            dataKey={(point: Point) => heightOf(point, outcome, unit)}
            stackId="outcomes"
            fill={`url(#${pattern}-${outcome})`}
            isAnimationActive={false}
          />
        ))}
        <ChangeLines data={data} />
        {area}
        <Watch shown={shown} />
      </BarChart>
    </div>
  );
}

function heightOf({ counts }: Point, outcome: CallOutcome, unit: Unit): number {
  if (unit === 'count') return counts[outcome];
  return judged(counts) > 0 ? counts[outcome] / judged(counts) : 0;
}

/** Plain for clean, slanted lines for repaired, level lines for invalid, a lattice for failed. */
const Patterns = ({ id }: { id: string }) => (
  <defs>
    <pattern id={`${id}-clean`} width="4" height="4" patternUnits="userSpaceOnUse">
      <rect width="4" height="4" fill="var(--clean-fill)" />
    </pattern>
    <pattern id={`${id}-repaired`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="5" height="5" fill="var(--repaired)" />
      <rect width="2" height="5" fill="var(--repaired-soft)" />
    </pattern>
    <pattern id={`${id}-invalid`} width="4" height="4" patternUnits="userSpaceOnUse">
      <rect width="4" height="4" fill="var(--invalid)" />
      <path d="M0 1H4" stroke="var(--invalid-soft)" strokeWidth="1.5" />
    </pattern>
    <pattern id={`${id}-failed`} width="4" height="4" patternUnits="userSpaceOnUse">
      <rect width="4" height="4" fill="var(--failed)" />
      <path d="M0 .5H4M.5 0V4" stroke="var(--failed-soft)" />
    </pattern>
  </defs>
);

/** Notes which column has the tip. */
function Watch({ shown }: { shown: RefObject<string | undefined> }) {
  const at = useActiveTooltipLabel();
  useEffect(() => {
    shown.current = at === undefined ? undefined : String(at);
  }, [at, shown]);
  return null;
}
