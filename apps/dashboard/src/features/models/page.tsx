import type { Model } from '@callsmith/contracts';
import { Button, Group, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useAddress } from '../../lib/address.ts';
import { formatCount, formatShare, plural } from '../../lib/format.ts';
import { few, judged, malformedRate } from '../../lib/outcomes.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { FindField } from '../../ui/find-field.tsx';
import { Page } from '../../ui/page.tsx';
import { RowLink } from '../../ui/row-link.tsx';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { StrategyChip } from '../../ui/strategy-chip.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { findModels } from './find-models.ts';
import { ModelForm } from './model-form.tsx';
import { modelsQuery } from './queries.ts';

/** All models, with what is in effect and how it goes. */
export function ModelsPage() {
  const models = useQuery(modelsQuery);
  const me = useMe();
  const address = useAddress();
  const items = models.data?.items;
  const found = items && findModels(items, address.get('q') ?? '');
  return (
    <Page
      title="Models"
      subtitle={
        found &&
        `${found.length < items.length ? `${formatCount(found.length)} of ` : ''}${plural(items.length, 'model')}. Rates cover the last 24 hours.`
      }
      actions={
        hasRole(me, 'admin') && (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => address.set({ add: 'yes' })}>
            Add model
          </Button>
        )
      }
    >
      {models.isError && !items && <Problem error={models.error} onRetry={() => void models.refetch()} />}
      {models.isPending && <LoadingRows rows={8} />}
      {items?.length === 0 && (
        <Empty
          title="No models yet"
          action={
            hasRole(me, 'admin') && (
              <Button component={Link} to="/upstreams?add=yes">
                Add upstream
              </Button>
            )
          }
        >
          Models appear here once an upstream is connected.
        </Empty>
      )}
      {items && items.length > 0 && <FindField label="Find a model" placeholder="Model, dialect or upstream" />}
      {items && items.length > 0 && found?.length === 0 && (
        <Empty
          title="No model found"
          action={<Button onClick={() => address.set({ q: null })}>Clear the search</Button>}
        >
          No name, dialect or upstream contains every word of the search.
        </Empty>
      )}
      {found && found.length > 0 && (
        <Card title="Models" untitled flush>
          <DataTable label="Models" rows={found} rowKey={(model) => model.id} columns={columns} linked />
        </Card>
      )}
      {address.get('add') && hasRole(me, 'admin') && <ModelForm onClose={() => address.set({ add: null })} />}
    </Page>
  );
}

const columns: Column<Model>[] = [
  {
    key: 'name',
    title: 'Model',
    cell: (model) => (
      <Group gap={6}>
        <RowLink to={`/models/${encodeURIComponent(model.id)}`}>{model.name}</RowLink>
        {model.demo && <Tag kind="quiet">demo</Tag>}
      </Group>
    ),
    sort: (model) => model.name,
  },
  {
    key: 'strategy',
    title: 'Strategy',
    cell: (model) => <StrategyChip set={model.strategy.value} used={model.inEffect.strategyUsed} />,
    sort: (model) => model.inEffect.strategyUsed,
  },
  {
    key: 'dialect',
    title: 'Dialect',
    hideBelow: 'Sm',
    cell: (model) => model.dialect.value,
    sort: (model) => model.dialect.value,
  },
  {
    key: 'upstream',
    title: 'Upstream',
    hideBelow: 'Md',
    cell: (model) =>
      model.routes.length === 0 ? (
        <Text c="dimmed">none</Text>
      ) : (
        model.routes.map((route) => (
          <div key={route.upstreamId}>
            {route.upstream}
            {route.outOfRotation && (
              <>
                {' '}
                <Tag>out of rotation</Tag>
              </>
            )}
            {route.engineVersion && (
              <Text span fz="xs" c="dimmed">
                {' '}
                {route.engineVersion}
              </Text>
            )}
          </div>
        ))
      ),
    sort: (model) => model.routes[0]?.upstream ?? null,
  },
  {
    key: 'context',
    title: 'Context',
    right: true,
    hideBelow: 'Lg',
    cell: (model) => (model.contextLength ? formatCount(model.contextLength.value) : '–'),
    sort: (model) => model.contextLength?.value ?? null,
  },
  {
    key: 'calls',
    title: 'Calls',
    right: true,
    hideBelow: 'Sm',
    cell: (model) => formatCount(judged(model.outcomes)),
    sort: (model) => judged(model.outcomes),
  },
  {
    key: 'malformed',
    title: 'Malformed',
    right: true,
    cell: (model) => <Malformed model={model} />,
    sort: (model) => malformedRate(model.outcomes),
  },
  {
    key: 'used',
    title: 'Last used',
    right: true,
    hideBelow: 'Md',
    cell: (model) => (model.lastUsedAt ? <RelativeTime at={model.lastUsedAt} /> : <Text c="dimmed">never</Text>),
    sort: (model) => model.lastUsedAt,
  },
];

function Malformed({ model }: { model: Model }) {
  const share = malformedRate(model.outcomes);
  if (share === null) return <Text c="dimmed">–</Text>;
  if (judged(model.outcomes) < few)
    return (
      <Text c="dimmed">
        {formatShare(share)} (n={formatCount(judged(model.outcomes))})
      </Text>
    );
  return <Text fw={600}>{formatShare(share)}</Text>;
}
