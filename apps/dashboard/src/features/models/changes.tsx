import type { StrategyChange } from '@callsmith/contracts';
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import { BeforeAfter } from './before-after.tsx';
import { changesQuery } from './queries.ts';

/** Who changed the strategy, when and why. */
export function Changes({ id }: { id: string }) {
  const changes = useQuery(changesQuery(id));
  const items = changes.data?.items;
  return (
    <Card title="Strategy changes" flush={items !== undefined && items.length > 0}>
      {changes.isLoadingError && <Problem error={changes.error} />}
      {changes.isPending && <LoadingRows rows={2} />}
      {items?.length === 0 && <Text c="dimmed">No strategy changes yet.</Text>}
      {items && items.length > 0 && (
        <DataTable
          label="Strategy changes"
          rows={items}
          rowKey={(change) => change.id}
          columns={columns}
          sortName="changes"
        />
      )}
    </Card>
  );
}

const columns: Column<StrategyChange>[] = [
  { key: 'at', title: 'When', cell: (change) => <Timestamp at={change.at} /> },
  {
    key: 'what',
    title: 'Change and reason',
    cell: (change) => (
      <>
        {sideOf(change.fromStrategy, change.fromDialect)} to <b>{sideOf(change.toStrategy, change.toDialect)}</b>
        {change.reason && (
          <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {change.reason}
          </Text>
        )}
      </>
    ),
  },
  { key: 'who', title: 'Actor', cell: (change) => change.actor, hideBelow: 'Sm' },
  { key: 'effect', title: 'Effect', cell: (change) => <Effect of={change} /> },
];

/** The effect of a change, loaded when it is opened; the URL holds which one is open. */
function Effect({ of: change }: { of: StrategyChange }) {
  const address = useAddress();
  if (address.get('effect') === change.id) return <BeforeAfter of={change} />;
  return (
    <Anchor component="button" type="button" inherit onClick={() => address.set({ effect: change.id })}>
      Compare
    </Anchor>
  );
}

const sideOf = (strategy: string, dialect: string | null) => (dialect ? `${strategy}, ${dialect}` : strategy);
