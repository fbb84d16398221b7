import { Group, Text } from '@mantine/core';
import { useId } from 'react';
import { formatCompact, formatCount, formatMoment, formatMoney } from '../../lib/format.ts';
import { useMe } from '../../lib/session.ts';
import css from '../../ui/chart.module.css';
import { ColumnChart } from '../../ui/column-chart.tsx';
import type { Usage, UsagePoint } from './queries.ts';

/** What a chart of usage shows. */
export type UsageUnit = 'tokens' | 'turns' | 'spend';

/** Columns of turns or money, or of tokens in with those out on top in slanted lines, so that colour is never alone. */
export function UsageChart({ data, unit }: { data: Usage; unit: UsageUnit }) {
  const pattern = useId();
  const { currency } = useMe().installation;
  const money = (micros: number) => formatMoney(micros, currency);
  return (
    <ColumnChart
      label={`${names[unit]} over time: arrow keys move between columns, drag to zoom`}
      points={data.points}
      step={data.step}
      parts={
        unit === 'tokens'
          ? [
              { name: 'in', heightOf: ({ inputTokens }: UsagePoint) => inputTokens, fill: plain },
              { name: 'out', heightOf: ({ outputTokens }: UsagePoint) => outputTokens, fill: `url(#${pattern})` },
            ]
          : [{ name: unit, heightOf: (point: UsagePoint) => point[unit], fill: plain }]
      }
      patterns={
        <pattern id={pattern} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" fill="var(--accent)" />
          <rect width="2" height="5" fill="var(--accent-soft)" />
        </pattern>
      }
      formatValue={unit === 'spend' ? money : formatCompact}
      tipOf={(point) => <Tip point={point} cost={data.totals.spend > 0 ? money(point.spend) : undefined} />}
    />
  );
}

const names: Readonly<Record<UsageUnit, string>> = { tokens: 'Tokens in and out', turns: 'Requests', spend: 'Cost' };

const plain = 'color-mix(in srgb, var(--accent) 38%, var(--surface))';

/** `cost` undefined: nothing has a price. */
const Tip = ({ point, cost }: { point: UsagePoint; cost: string | undefined }) => (
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
    {cost !== undefined && (
      <Group justify="space-between" gap="lg" fz="xs">
        <span>cost</span>
        <span>{cost}</span>
      </Group>
    )}
  </div>
);
