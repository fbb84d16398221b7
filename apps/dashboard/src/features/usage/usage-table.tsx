import { Button, SegmentedControl } from '@mantine/core';
import { useAddress } from '../../lib/address.ts';
import { useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { columns } from './columns.tsx';
import type { Usage, UsageFilter, UsageGroup } from './queries.ts';
import { usageFile } from './queries.ts';
import { narrowTo } from './usage-filter.ts';

/** What each model, key, team or client had of it all, the most turns first. */
export function UsageTable({
  data,
  filter,
  by: offered,
}: {
  data: Usage;
  filter: UsageFilter;
  by: readonly UsageGroup[];
}) {
  const address = useAddress();
  const { by } = filter;
  const { currency } = useMe().installation;
  return (
    <Card
      title={`By ${by}`}
      flush
      aside={
        <>
          <SegmentedControl
            size="xs"
            aria-label="Grouped by"
            data={offered.map((group) => ({ value: group, label: group[0]?.toUpperCase() + group.slice(1) }))}
            value={by}
            onChange={(group) => address.set({ by: group === 'model' ? null : group, sort: null })}
          />
          <Button size="xs" variant="default" component="a" href={usageFile(filter)} download>
            CSV
          </Button>
        </>
      }
    >
      <DataTable
        label={`Usage by ${by}`}
        rows={data.items}
        rowKey={({ id }) => id}
        columns={columns(data, by, currency, (id) =>
          address.set({ ...narrowTo(address.params, by, id), sort: null }, true),
        )}
        rowHeight={46}
      />
    </Card>
  );
}
