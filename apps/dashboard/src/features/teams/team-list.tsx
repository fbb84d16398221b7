import type { Team } from '@callsmith/contracts';
import { Anchor, Group, Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { linkTo } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ManagedTag } from '../../ui/managed-tag.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { toastError } from '../../ui/toast.ts';
import { EditButton } from './edit-button.tsx';
import { teamsQuery } from './queries.ts';

/** All teams. */
export function TeamList() {
  const teams = useQuery(teamsQuery);
  return (
    <Card title="Teams" flush>
      {teams.isLoadingError && <Problem error={teams.error} />}
      {teams.isPending && <LoadingRows rows={3} />}
      {teams.data && (
        <DataTable
          label="Teams"
          rows={teams.data.items}
          rowKey={(team) => team.id}
          columns={columns}
          sortName="teams"
          {...(teams.data.items.length > 60 && { maxHeight: '480px' })}
        />
      )}
    </Card>
  );
}

const columns: Column<Team>[] = [
  {
    key: 'name',
    title: 'Team',
    cell: (team) => (
      <Group gap={6}>
        <Anchor component={Link} to={`/teams/${team.id}`} inherit fw={550}>
          {team.name}
        </Anchor>
        {team.demo && <Tag kind="quiet">demo</Tag>}
        {team.managedBy === 'file' && <ManagedTag />}
      </Group>
    ),
    sort: (team) => team.name,
  },
  {
    key: 'keys',
    title: 'Keys',
    right: true,
    cell: (team) => (
      <Anchor component={Link} to={linkTo('/keys', { team: team.id })} inherit>
        {team.keys}
      </Anchor>
    ),
    sort: (team) => team.keys,
  },
  { key: 'bodies', title: 'Stores bodies', cell: (team) => <StoresBodies team={team} /> },
  {
    key: 'created',
    title: 'Created',
    right: true,
    hideBelow: 'Sm',
    cell: (team) => <RelativeTime at={team.createdAt} />,
    sort: (team) => team.createdAt,
  },
  {
    key: 'do',
    title: 'Actions',
    untitled: true,
    right: true,
    cell: (team) => team.managedBy === null && <EditButton name="editTeam" id={team.id} of={team.name} />,
  },
];

function StoresBodies({ team }: { team: Team }) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (storesBodies: boolean) => client.teams.change({ params: { id: team.id }, body: { storesBodies } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['teams'] }),
    onError: toastError,
  });
  return (
    <Switch
      size="xs"
      checked={team.storesBodies}
      disabled={change.isPending || team.managedBy !== null}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
      aria-label={`Store request and response bodies of ${team.name}`}
    />
  );
}
