import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useAddress } from '../../lib/address.ts';
import { type Usage, type UsageFilter, usageGroups } from './queries.ts';

/** What the figures are confined to; each takes itself away. */
export function ActiveFilters({ filter, data }: { filter: UsageFilter; data: Usage | undefined }) {
  const address = useAddress();
  const names = { model: data?.only.model, key: data?.only.key, team: data?.only.team, client: filter.client };
  return usageGroups
    .filter((group) => address.get(group))
    .map((group) => (
      <Button
        key={group}
        size="xs"
        variant="light"
        maw={260}
        rightSection={<IconX size={13} />}
        onClick={() => address.set({ [group]: null })}
        aria-label={`Clear ${group} filter`}
      >
        {names[group] ?? `By ${group}`}
      </Button>
    ));
}
