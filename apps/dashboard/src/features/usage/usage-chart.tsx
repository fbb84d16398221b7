import { Group, Text } from '@mantine/core';
import { useId } from 'react';
import { formatCompact, formatCount, formatMoment } from '../../lib/format.ts';
import css from '../../ui/chart.module.css';
import { ColumnChart } from '../../ui/column-chart.tsx';
import type { Usage, UsagePoint } from './queries.ts';

/** Columns of turns, or of tokens in with those out on top in slanted lines, so that colour is never alone. */
export function UsageChart({ data, unit }: { data: Usage; unit: 'tokens' | 'turns' }) {
  const pattern = useId();
  return (
    <ColumnChart
      label={`${unit === 'turns' ? 'Requests' : 'Tokens in and out'} over time: arrow keys move between columns, drag to zoom`}
      points={data.points}
      step={data.step}
      parts={
        unit === 'turns'
          ? [{ name: 'turns', heightOf: ({ turns }: UsagePoint) => turns, fill: plain }]
          : [
              { name: 'in', heightOf: ({ inputTokens }: UsagePoint) => inputTokens, fill: plain },
              { name: 'out', heightOf: ({ outputTokens }: UsagePoint) => outputTokens, fill: `url(#${pattern})` },
            ]
      }
      patterns={
        <pattern id={pattern} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" fill="var(--accent)" />
          <rect width="2" height="5" fill="var(--accent-soft)" />
        </pattern>
      }
      formatValue={formatCompact}
      tipOf={(point) => <Tip point={point} />}
    />
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
