import { Group, Text } from '@mantine/core';
import { useId } from 'react';
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import { formatCompact, formatCount, formatMoment } from '../../lib/format.ts';
import { columnGaps, timeAxis, valueAxis } from '../../ui/axes.ts';
import css from '../../ui/chart.module.css';
import { useDragRange } from '../../ui/use-drag-range.tsx';
import type { Usage, UsagePoint } from './queries.ts';

/** Columns of turns, or of tokens in with those out on top in slanted lines, so that colour is never alone. */
export function UsageChart({ data, unit }: { data: Usage; unit: 'tokens' | 'turns' }) {
  const pattern = useId();
  const { points, step } = data;
  const { handlers, area } = useDragRange(step);
  return (
    <div className={css.chart}>
      <BarChart
        responsive
        data={points}
        className={css.plot ?? ''}
        margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
        {...columnGaps(points.length)}
        {...handlers}
        aria-label={`${unit === 'turns' ? 'Requests' : 'Tokens in and out'} over time: arrow keys move between columns, drag to zoom`}
      >
        <defs>
          <pattern id={pattern} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" fill="var(--accent)" />
            <rect width="2" height="5" fill="var(--accent-soft)" />
          </pattern>
        </defs>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis {...timeAxis(points.length, step)} />
        <YAxis {...valueAxis} allowDecimals={false} tickFormatter={formatCompact} />
        <Tooltip
          content={({ active, payload }) =>
            active && payload[0] ? <Tip point={payload[0].payload as UsagePoint} /> : null
          }
          cursor={{ className: css.cursor ?? '' }}
          isAnimationActive={false}
        />
        {unit === 'turns' ? (
          <Bar dataKey="turns" fill={plain} isAnimationActive={false} />
        ) : (
          [
            <Bar key="in" dataKey="inputTokens" stackId="tokens" fill={plain} isAnimationActive={false} />,
            <Bar
              key="out"
              dataKey="outputTokens"
              stackId="tokens"
              fill={`url(#${pattern})`}
              isAnimationActive={false}
            />,
          ]
        )}
        {area}
      </BarChart>
    </div>
  );
}

const plain = 'color-mix(in srgb, var(--accent) 38%, var(--surface))';

const Tip = ({ point }: { point: UsagePoint }) => (
  <div className={css.tip}>
    <Text fz="xs" fw={600}>
      {formatMoment(point.at)}
    </Text>
    {(
      [
        ['requests', point.turns],
        ['tokens in', point.inputTokens],
        ['tokens out', point.outputTokens],
        ['cached', point.cachedTokens],
        ['added by prompt', point.injectedTokens],
      ] as const
    ).map(([name, value]) => (
      <Group key={name} justify="space-between" gap="lg" fz="xs">
        <span>{name}</span>
        <span>{formatCount(value)}</span>
      </Group>
    ))}
  </div>
);
