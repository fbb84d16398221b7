import { Box, Group, SegmentedControl, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useAddress } from '../../lib/address.ts';
import { formatCount, formatMoney } from '../../lib/format.ts';
import { useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import chart from '../../ui/chart.module.css';
import { DataTable } from '../../ui/data-table.tsx';
import type { Column } from '../../ui/table-column.ts';
import { TableSwitch } from '../../ui/table-switch.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import type { Usage, UsagePoint } from './queries.ts';
import css from './usage.module.css';
import type { UsageUnit } from './usage-chart.tsx';

const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }));

/** Tokens, requests or, where models have prices, cost over time, as a chart or as a table. */
export function UsageOverTime({ data }: { data: Usage }) {
  const address = useAddress();
  const table = address.get('view') === 'table';
  const { currency } = useMe().installation;
  const offered = units.filter(({ value }) => value !== 'spend' || data.totals.spend > 0);
  const unit = offered.find(({ value }) => value === address.get('unit'))?.value ?? 'tokens';
  return (
    <Card
      title={table ? 'Usage over time' : `${units.find(({ value }) => value === unit)?.label} over time`}
      subtitle={!table && unit === 'tokens' && <Legend />}
      flush={table}
      aside={
        <>
          {!table && (
            <SegmentedControl
              size="xs"
              aria-label="Unit"
              data={offered}
              value={unit}
              onChange={(value) => address.set({ unit: value === 'tokens' ? null : value })}
            />
          )}
          <TableSwitch table={table} onChange={(on) => address.set({ view: on ? 'table' : null })} />
        </>
      }
    >
      {table ? (
        <DataTable
          label="Usage over time"
          rows={data.points.filter(({ turns }) => turns > 0).reverse()}
          rowKey={({ at }) => at}
          columns={[...columns, ...(data.totals.spend > 0 ? [costColumn(currency)] : [])]}
          sortName="point"
          maxHeight="300px"
        />
      ) : (
        <Suspense fallback={<div className={chart.chart} aria-busy="true" />}>
          <UsageChart data={data} unit={unit} />
        </Suspense>
      )}
    </Card>
  );
}

const units: { value: UsageUnit; label: string }[] = [
  { value: 'tokens', label: 'Tokens' },
  { value: 'turns', label: 'Requests' },
  { value: 'spend', label: 'Cost' },
];

const sums = {
  turns: 'Requests',
  inputTokens: 'Tokens in',
  outputTokens: 'Tokens out',
  cachedTokens: 'Cached',
  injectedTokens: 'Added by prompt',
} as const;

const columns: Column<UsagePoint>[] = [
  { key: 'at', title: 'From', cell: ({ at }) => <Timestamp at={at} />, sort: ({ at }) => at },
  ...(Object.keys(sums) as (keyof typeof sums)[]).map(
    (sum): Column<UsagePoint> => ({
      key: sum,
      title: sums[sum],
      right: true,
      cell: (point) => formatCount(point[sum]),
      sort: (point) => point[sum],
      ...(sum.startsWith('c') || sum.startsWith('inj') ? { hideBelow: 'Sm' as const } : {}),
    }),
  ),
];

const costColumn = (currency: string): Column<UsagePoint> => ({
  key: 'spend',
  title: 'Cost',
  right: true,
  cell: ({ spend }) => (spend > 0 ? formatMoney(spend, currency) : '–'),
  sort: ({ spend }) => spend,
});

const Legend = () => (
  <Group gap="2px 16px" mt={2}>
    {(['in', 'out'] as const).map((way) => (
      <Group key={way} gap={6} wrap="nowrap">
        <Box className={`${css.swatch} ${css[way]}`} />
        <Text component="span" inherit>
          tokens {way}
        </Text>
      </Group>
    ))}
  </Group>
);
