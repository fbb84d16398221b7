import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { teamsQuery } from './queries.ts';

/** Picks a team; the first one that is not the demo's stands there already. */
export function TeamSelect({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (teamId: string) => void;
  error: string | undefined;
}) {
  const teams = useQuery(teamsQuery);
  const items = (teams.data?.items ?? []).filter((team) => !team.demo);
  const first = items[0]?.id;
  // What stands there at first is known only when the teams have come from the server.
  useEffect(() => {
    if (value === '' && first) onChange(first);
  });
  return (
    <Select
      label="Team"
      data={items.map((team) => ({ value: team.id, label: team.name }))}
      value={value || null}
      onChange={(teamId) => onChange(teamId ?? '')}
      allowDeselect={false}
      searchable={items.length > 8}
      error={error}
    />
  );
}
