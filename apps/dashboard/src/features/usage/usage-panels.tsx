import { Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { periodText } from '../../lib/period.ts';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { type UsageFilter, type UsageGroup, usageGroups, usageQuery } from './queries.ts';
import { UsageOverTime } from './usage-over-time.tsx';
import { UsageTable } from './usage-table.tsx';

/** Tokens and requests over time, and by group. `fixed`: groups that are not offered, because the page is about one of them. */
export function UsagePanels({ filter, fixed = [] }: { filter: UsageFilter; fixed?: readonly UsageGroup[] }) {
  const usage = useQuery(usageQuery(filter));
  const { data } = usage;
  return (
    <>
      {usage.isError && (!data || usage.isPlaceholderData) && (
        <Problem error={usage.error} onRetry={() => void usage.refetch()} />
      )}
      {usage.isPending && <UsageLoading />}
      {data && data.totals.turns === 0 && <Nothing filter={filter} />}
      {data && data.totals.turns > 0 && (
        <Stack gap="md">
          <UsageOverTime data={data} />
          <UsageTable data={data} filter={filter} by={usageGroups.filter((group) => !fixed.includes(group))} />
        </Stack>
      )}
    </>
  );
}

export const UsageLoading = () => (
  <Stack gap="md">
    <Skeleton height={386} />
    <LoadingRows rows={6} />
  </Stack>
);

function Nothing({ filter }: { filter: UsageFilter }) {
  const address = useAddress();
  return (
    <Empty
      title={`No requests in ${periodText(filter.period)}`}
      action={
        <Anchor
          component="button"
          type="button"
          onClick={() =>
            address.set({
              ...Object.fromEntries(usageGroups.map((group) => [group, null])),
              from: null,
              to: null,
              range: '30d',
            })
          }
        >
          Show the last 30 days
        </Anchor>
      }
    >
      Tokens and requests appear here as soon as a client sends a request.
    </Empty>
  );
}
