import { Group, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import { Link } from 'react-router';
import { formatClock, formatCount, formatDay, formatMoment, formatShare } from '../../lib/format.ts';
import { callOutcomes, judged } from '../../lib/outcomes.ts';
import { linesOf, scaleOf } from './chart-scale.ts';
import css from './outcomes-chart.module.css';
import type { Overview } from './queries.ts';

type Point = Overview['series'][number];
type Unit = 'share' | 'count';

/** Stacked columns, the worst at the bottom; each outcome has its own pattern, so that colour is never alone. */
export function OutcomesChart({
  data,
  unit,
  failuresAt,
}: {
  data: Overview;
  unit: Unit;
  failuresAt: (point: Point) => string;
}) {
  const { series } = data;
  const { ref, width } = useElementSize();
  const [hovered, setHovered] = useState<number | null>(null);
  const scale = scaleOf(unit === 'share' ? 1 : Math.max(1, ...series.map((point) => judged(point.counts))));
  const every = Math.max(1, Math.ceil(series.length / Math.max(2, Math.floor(width / 84))));
  const point = hovered === null ? undefined : series[hovered];
  return (
    // For the eye and the mouse; the same stands in the table, and the way to the failures in the list of models.
    <div className={css.chart} aria-hidden="true">
      <div ref={ref} className={css.plot} onPointerLeave={() => setHovered(null)}>
        {scale.steps.map((step) => (
          <div key={step} className={css.grid} style={{ bottom: `${(step / scale.top) * 100}%` }}>
            <span>{unit === 'share' ? formatShare(step) : formatCount(step)}</span>
          </div>
        ))}
        {series.map((one, n) => (
          <Link
            key={one.at}
            to={failuresAt(one)}
            tabIndex={-1}
            className={css.column}
            onPointerEnter={() => setHovered(n)}
          >
            {[...callOutcomes].reverse().map((outcome) => (
              <div
                key={outcome}
                className={css[outcome]}
                style={{ height: `${(heightOf(one, outcome, unit) / scale.top) * 100}%` }}
              />
            ))}
          </Link>
        ))}
        {linesOf(data, width).map(({ at, place, say, late }) => (
          <div key={at} className={`${css.change} ${late ? css.late : ''}`} style={{ left: `${place * 100}%` }}>
            <span>{say}</span>
          </div>
        ))}
        {series.map(
          (one, n) =>
            n % every === 0 && (
              <span key={one.at} className={css.tick} style={{ left: `${((n + 0.5) / series.length) * 100}%` }}>
                {data.step >= 6 * 3600 ? formatDay(one.at) : formatClock(one.at)}
              </span>
            ),
        )}
        {point && hovered !== null && <Tip point={point} place={(hovered + 0.5) / series.length} />}
      </div>
    </div>
  );
}

function heightOf({ counts }: Point, outcome: (typeof callOutcomes)[number], unit: Unit): number {
  if (unit === 'count') return counts[outcome];
  return judged(counts) > 0 ? counts[outcome] / judged(counts) : 0;
}

function Tip({ point: { at, counts, classes }, place }: { point: Point; place: number }) {
  const n = judged(counts);
  const worst = Object.entries(classes).sort(([, a], [, b]) => b - a)[0];
  const side = place < 0.5 ? { left: `calc(${place * 100}% + 14px)` } : { right: `calc(${(1 - place) * 100}% + 14px)` };
  return (
    <div className={css.tip} style={side}>
      <Text fz="xs" fw={600}>
        {formatMoment(at)}
      </Text>
      {[...callOutcomes].reverse().map((outcome) => (
        <Group key={outcome} justify="space-between" gap="lg" fz="xs">
          <span>{outcome}</span>
          <span>
            {formatCount(counts[outcome])}
            {n > 0 && ` · ${formatShare(counts[outcome] / n)}`}
          </span>
        </Group>
      ))}
      <Group justify="space-between" gap="lg" fz="xs" c="dimmed">
        <span>no call</span>
        <span>{formatCount(counts.none)}</span>
      </Group>
      {worst && (
        <Text fz="xs" c="dimmed">
          mostly {worst[0]}
        </Text>
      )}
    </div>
  );
}
