import { useId } from 'react';
import { useNavigate } from 'react-router';
import { formatCount, formatShare } from '../../lib/format.ts';
import { callOutcomes, judged } from '../../lib/outcomes.ts';
import { ColumnChart } from '../../ui/column-chart.tsx';
import { ChangeLines } from './change-lines.tsx';
import { ColumnTip } from './column-tip.tsx';
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
  const navigate = useNavigate();
  const pattern = useId();
  return (
    <ColumnChart
      label="Calls by outcome over time: arrow keys move between columns, Enter opens the column’s failures; drag to zoom"
      points={data.series}
      step={data.step}
      parts={[...callOutcomes].reverse().map((outcome) => ({
        name: outcome,
        heightOf: (point: Point) => heightOf(point, outcome, unit),
        fill: `url(#${pattern}-${outcome})`,
      }))}
      patterns={<Patterns id={pattern} />}
      ticks={unit === 'share' ? [0, 0.25, 0.5, 0.75, 1] : undefined}
      formatValue={unit === 'share' ? formatShare : formatCount}
      top={26}
      over={(plot) => <ChangeLines data={data} plot={plot} />}
      tipOf={(point) => <ColumnTip point={point} />}
      onOpen={(point) => void navigate(failuresAt(point))}
    />
  );
}

function heightOf({ counts }: Point, outcome: CallOutcome, unit: Unit): number {
  if (unit === 'count') return counts[outcome];
  return judged(counts) > 0 ? counts[outcome] / judged(counts) : 0;
}

/** Plain for clean, slanted lines for repaired, level lines for invalid, a lattice for failed. */
const Patterns = ({ id }: { id: string }) => (
  <>
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
  </>
);
