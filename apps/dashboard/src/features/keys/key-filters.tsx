import { Group, Select, Switch } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { FindField, longestSearch } from '../../ui/find-field.tsx';
import { type KeyFilter, teamsQuery } from './queries.ts';

/** What the address narrows the keys to; words are searched for when typing pauses. */
export function useKeyFilter(): Required<KeyFilter> {
  const address = useAddress();
  const [q] = useDebouncedValue((address.get('q') ?? '').trim().slice(0, longestSearch), 200);
  return { teamId: address.get('team'), revoked: address.get('revoked') === 'yes', q };
}

/** Narrows the keys by words, by team, and to those that are valid. */
export function KeyFilters() {
  const address = useAddress();
  const teams = useQuery(teamsQuery);
  return (
    <Group gap="sm">
      <FindField label="Find a key" placeholder="Owner, key or client" />
      <Select
        size="xs"
        w={170}
        placeholder="All teams"
        aria-label="Team"
        data={(teams.data?.items ?? []).map((team) => ({ value: team.id, label: team.name }))}
        value={address.get('team') ?? null}
        onChange={(team) => address.set({ team })}
        clearable
      />
      <Switch
        size="xs"
        label="Show revoked"
        checked={address.get('revoked') === 'yes'}
        onChange={(event) => address.set({ revoked: event.currentTarget.checked ? 'yes' : null })}
      />
    </Group>
  );
}
