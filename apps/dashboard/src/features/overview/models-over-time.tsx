import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { to } from '../../lib/address.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { few, judged } from '../../lib/outcomes.ts';
import { periodQuery } from '../../lib/period.ts';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Ago } from '../../ui/moment.tsx';
import { RowLink } from '../../ui/row-link.tsx';
import { Tag } from '../../ui/tag.tsx';
import { ModelCourse } from './model-course.tsx';
import type { Asked, Overview } from './queries.ts';

interface Row {
  readonly model: string;
  readonly modelId: string;
  readonly demo: boolean;
  readonly points: Overview['byModel'][number]['points'];
  readonly n: number;
  readonly malformed: number | null;
  readonly topClass: string | null;
  readonly lastFailedAt: string | null;
}

/** Each model's malformed rate over time, one line a model and all on one scale; a row leads to its failures. */
export function ModelsOverTime({ data, asked }: { data: Overview; asked: Asked }) {
  const rows = rowsOf(data);
  const top = Math.max(0.1, ...rows.flatMap((row) => row.points.map((point) => point.malformed ?? 0)));
  return (
    <Card
      title="Malformed rate by model"
      say={`Repaired and failed calls as a share of all calls. Every line uses a scale of 0 to ${formatShare(top)}.`}
      flush
    >
      <DataTable
        label="Malformed rate by model"
        rows={rows}
        rowKey={(row) => row.modelId}
        columns={columns(data, asked, top)}
        linked
        sortName="models"
      />
    </Card>
  );
}

const columns = (data: Overview, asked: Asked, top: number): Column<Row>[] => [
  {
    key: 'model',
    title: 'Model',
    cell: (row) => (
      <Group gap={6} wrap="nowrap">
        <RowLink
          to={to('/failures', {
            ...periodQuery(asked.period),
            model: row.model,
            client: asked.client,
            team: asked.teamId,
          })}
        >
          {row.model}
        </RowLink>
        {row.demo && <Tag kind="quiet">demo</Tag>}
      </Group>
    ),
    sort: (row) => row.model,
  },
  {
    key: 'course',
    title: 'Over time',
    width: '30%',
    hideBelow: 'Sm',
    cell: (row) => (
      <ModelCourse
        points={row.points}
        top={top}
        changes={data.changes.filter((change) => change.modelId === row.modelId).map((change) => change.at)}
      />
    ),
  },
  {
    key: 'malformed',
    title: 'Malformed',
    right: true,
    cell: (row) => <Malformed row={row} />,
    sort: (row) => row.malformed,
  },
  { key: 'n', title: 'Calls', right: true, cell: (row) => formatCount(row.n), sort: (row) => row.n },
  {
    key: 'class',
    title: 'Top cause',
    hideBelow: 'Sm',
    cell: (row) => row.topClass ?? <Text c="dimmed">–</Text>,
    sort: (row) => row.topClass,
  },
  {
    key: 'last',
    title: 'Last failure',
    right: true,
    hideBelow: 'Md',
    cell: (row) => (row.lastFailedAt ? <Ago at={row.lastFailedAt} /> : '–'),
    sort: (row) => row.lastFailedAt,
  },
  {
    key: 'strategy',
    title: 'Strategy',
    right: true,
    hideBelow: 'Sm',
    cell: (row) => (
      <Anchor
        component={Link}
        to={`/models/${encodeURIComponent(row.modelId)}`}
        inherit
        pos="relative"
        style={{ zIndex: 2 }}
      >
        Change…
      </Anchor>
    ),
  },
];

const Malformed = ({ row }: { row: Row }) => {
  if (row.malformed === null) return <Text c="dimmed">no calls</Text>;
  if (row.n < few)
    return (
      <Text c="dimmed">
        {formatShare(row.malformed)} (n={formatCount(row.n)})
      </Text>
    );
  return <Text fw={600}>{formatShare(row.malformed)}</Text>;
};

// All models with turns, those that fail most first.
function rowsOf({ byModel, failingModels }: Overview): Row[] {
  const failing = new Map(failingModels.map((model) => [model.modelId, model]));
  return byModel
    .map(({ model, modelId, demo, points }): Row => {
      const found = failing.get(modelId);
      const n = found ? judged(found.counts) : points.reduce((sum, point) => sum + point.n, 0);
      const bad = points.reduce((sum, point) => sum + (point.malformed ?? 0) * point.n, 0);
      return {
        model,
        modelId,
        demo,
        points,
        n,
        malformed: found ? found.malformed : n > 0 ? bad / n : null,
        topClass: found?.topClass ?? null,
        lastFailedAt: found?.lastFailedAt ?? null,
      };
    })
    .sort((a, b) => (b.malformed ?? -1) - (a.malformed ?? -1));
}
