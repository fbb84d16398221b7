import type { ModelOrder } from '@callsmith/contracts';
import { Anchor, Group, NativeSelect, Text } from '@mantine/core';
import { Link } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { few, judged } from '../../lib/outcomes.ts';
import { periodQuery } from '../../lib/period.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { RowLink } from '../../ui/row-link.tsx';
import { StrategyChip } from '../../ui/strategy-chip.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { ModelChart } from './model-chart.tsx';
import css from './models-over-time.module.css';
import type { Overview, OverviewFilter } from './queries.ts';

interface Row {
  readonly model: string;
  readonly modelId: string;
  readonly demo: boolean;
  readonly points: Overview['byModel'][number]['points'];
  readonly counts: Overview['byModel'][number]['counts'];
  readonly strategy: Overview['byModel'][number]['strategy'];
  readonly topClass: string | null;
  readonly lastFailedAt: string | null;
}

/** Each model's malformed rate over time, one line a model and all on one scale; a row leads to its failures. */
export function ModelsOverTime({ data, filter }: { data: Overview; filter: OverviewFilter }) {
  const rows = rowsOf(data);
  const top = Math.max(0.1, ...rows.flatMap((row) => row.points.map((point) => point.malformed ?? 0)));
  return (
    <Card
      title="Malformed rate by model"
      subtitle={`${listedText(data, filter)}Repaired, invalid and failed calls as a share of all calls. Every line uses a scale of 0 to ${formatShare(top)}.`}
      aside={<OrderSelect order={filter.models} />}
      flush
    >
      <DataTable
        label="Malformed rate by model"
        rows={rows}
        rowKey={(row) => row.modelId}
        columns={columns(data, filter, top)}
        linked
      />
    </Card>
  );
}

const columns = (data: Overview, filter: OverviewFilter, top: number): Column<Row>[] => [
  {
    key: 'model',
    title: 'Model',
    cell: (row) => (
      <Group gap="2px 6px" className={css.name ?? ''}>
        <RowLink
          to={linkTo('/failures', {
            ...periodQuery(filter.period),
            model: row.strategy ? row.model : row.modelId,
            client: filter.client,
            team: filter.teamId,
          })}
        >
          {row.model}
        </RowLink>
        {row.demo && <Tag kind="quiet">demo</Tag>}
        {!row.strategy && !row.demo && <Tag kind="quiet">removed</Tag>}
      </Group>
    ),
  },
  {
    key: 'course',
    title: 'Over time',
    width: '24%',
    hideBelow: 'Sm',
    cell: (row) => (
      <>
        <ModelChart
          points={row.points}
          top={top}
          changes={data.changes.filter((change) => change.modelId === row.modelId).map((change) => change.at)}
        />
        <SplitBar row={row} />
      </>
    ),
  },
  {
    key: 'failed',
    title: 'Failed',
    right: true,
    cell: (row) => <Share row={row} part="failed" />,
  },
  {
    key: 'invalid',
    title: 'Invalid',
    right: true,
    hideBelow: 'Sm',
    cell: (row) => <Share row={row} part="invalid" />,
  },
  {
    key: 'repaired',
    title: 'Repaired',
    right: true,
    cell: (row) => <Share row={row} part="repaired" />,
  },
  {
    key: 'n',
    title: 'Calls',
    right: true,
    cell: (row) => formatCount(judged(row.counts)),
  },
  {
    key: 'class',
    title: 'Top cause',
    hideBelow: 'Md',
    cell: (row) => row.topClass ?? <Text c="dimmed">–</Text>,
  },
  {
    key: 'last',
    title: 'Last failure',
    right: true,
    hideBelow: 'Lg',
    cell: (row) => (row.lastFailedAt ? <RelativeTime at={row.lastFailedAt} /> : '–'),
  },
  {
    key: 'strategy',
    title: 'Strategy',
    right: true,
    hideBelow: 'Sm',
    cell: (row) => row.strategy && <Strategy row={row} strategy={row.strategy} />,
  },
];

const Strategy = ({ row, strategy }: { row: Row; strategy: NonNullable<Row['strategy']> }) => (
  <Anchor
    component={Link}
    to={`/models/${encodeURIComponent(row.modelId)}`}
    inherit
    pos="relative"
    style={{ zIndex: 2 }}
  >
    <StrategyChip set={strategy.set} used={strategy.used} />
  </Anchor>
);

/** Failed, invalid and repaired apart on one bar, from 0 to 100 %. The numbers beside it say the same. */
const SplitBar = ({ row }: { row: Row }) => (
  <div className={css.split} aria-hidden="true">
    {(['failed', 'invalid', 'repaired'] as const).map((part) => (
      <div key={part} className={css[part]} style={{ width: `${(shareOf(row, part) ?? 0) * 100}%` }} />
    ))}
  </div>
);

const Share = ({ row, part }: { row: Row; part: Part }) => {
  const [share, n] = [shareOf(row, part), judged(row.counts)];
  if (share === null) return <Text c="dimmed">–</Text>;
  if (n < few)
    return (
      <Text c="dimmed">
        {formatShare(share)} (n={formatCount(n)})
      </Text>
    );
  return <Text fw={part === 'failed' ? 600 : 400}>{formatShare(share)}</Text>;
};

type Part = 'failed' | 'invalid' | 'repaired';

const shareOf = ({ counts }: Pick<Row, 'counts'>, part: Part): number | null =>
  judged(counts) === 0 ? null : counts[part] / judged(counts);

const orders: Readonly<Record<ModelOrder, { label: string; phrase: string }>> = {
  failed: { label: 'Failed first', phrase: 'with the most failed or invalid calls' },
  repaired: { label: 'Repaired first', phrase: 'that are repaired most' },
  calls: { label: 'Most calls first', phrase: 'with the most calls' },
  name: { label: 'By name', phrase: 'by name' },
};

/** Which of the models are listed, where not all are. */
const listedText = ({ models, byModel }: Overview, { models: order }: OverviewFilter): string =>
  models > byModel.length ? `The ${byModel.length} of ${formatCount(models)} models ${orders[order].phrase}. ` : '';

/** Picks the order of models, of which the first are listed. */
function OrderSelect({ order }: { order: ModelOrder }) {
  const address = useAddress();
  return (
    <NativeSelect
      size="xs"
      aria-label="Order of models"
      data={Object.entries(orders).map(([value, { label }]) => ({ value, label }))}
      value={order}
      onChange={({ currentTarget }) =>
        address.set({ models: currentTarget.value === 'failed' ? null : currentTarget.value })
      }
    />
  );
}

/** The listed models in their order, with what is known of their failures. */
function rowsOf({ byModel, failingModels }: Overview): Row[] {
  const failing = new Map(failingModels.map((model) => [model.modelId, model]));
  return byModel.map((model): Row => {
    const found = failing.get(model.modelId);
    return { ...model, topClass: found?.topClass ?? null, lastFailedAt: found?.lastFailedAt ?? null };
  });
}
