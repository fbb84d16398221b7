import type { Team, User } from '@callsmith/contracts';
import { Anchor, Button, Group, Stack, Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ManagedTag } from '../../ui/managed-tag.tsx';
import { Page } from '../../ui/page.tsx';
import { LoadingRows, NoPermission, Problem } from '../../ui/states.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { toastError } from '../../ui/toast.ts';
import { Invite } from './invite.tsx';
import { NewTeam } from './new-team.tsx';
import { teamsQuery, usersQuery } from './queries.ts';
import { TeamDialogs } from './team-dialogs.tsx';
import { roleColumn, stateColumn, userColumn } from './user-columns.tsx';
import { UserForm } from './user-form.tsx';

/** Teams, and who may sign in here. */
export function TeamsPage() {
  const me = useMe();
  const address = useAddress();
  const queryClient = useQueryClient();
  const allowed = hasRole(me, 'admin');
  const teams = useQuery({ ...teamsQuery, enabled: allowed });
  const users = useQuery({ ...usersQuery, enabled: allowed });
  if (!allowed)
    return (
      <Page title="Teams & users">
        <NoPermission />
      </Page>
    );
  const userOf = (name: string) => users.data?.items.find(({ id }) => id === address.get(name));
  const [edited, removed] = [userOf('user'), userOf('removeUser')];
  return (
    <Page
      title="Teams & users"
      subtitle="API keys belong to teams; key owners don't need an account."
      actions={
        <>
          <Button variant="default" onClick={() => address.set({ add: 'team' })}>
            Add team
          </Button>
          <Button onClick={() => address.set({ add: 'user' })}>Invite user</Button>
        </>
      }
    >
      <Stack gap="md">
        <Card title="Teams" flush>
          {teams.isLoadingError && <Problem error={teams.error} />}
          {teams.isPending && <LoadingRows rows={3} />}
          {teams.data && (
            <DataTable
              label="Teams"
              rows={teams.data.items}
              rowKey={(team) => team.id}
              columns={teamColumns}
              sortName="teams"
              {...(teams.data.items.length > 60 && { maxHeight: '480px' })}
            />
          )}
        </Card>
        <Card title="Users" flush>
          {users.isLoadingError && <Problem error={users.error} />}
          {users.isPending && <LoadingRows rows={3} />}
          {users.data && (
            <DataTable
              label="Users"
              rows={users.data.items}
              rowKey={(user) => user.id}
              columns={userColumns(teams.data?.items ?? [])}
              sortName="users"
              {...(users.data.items.length > 60 && { maxHeight: '640px' })}
            />
          )}
        </Card>
      </Stack>
      {address.get('add') === 'team' && <NewTeam onClose={() => address.set({ add: null })} />}
      {address.get('add') === 'user' && (
        <Invite teams={teams.data?.items ?? []} onClose={() => address.set({ add: null })} />
      )}
      <TeamDialogs teams={teams.data?.items ?? []} />
      {removed && (
        <Confirm
          title={`Delete ${removed.email}?`}
          action="Delete"
          danger
          onConfirm={async () => {
            await client.users.remove({ params: { id: removed.id } });
            await queryClient.invalidateQueries({ queryKey: ['users'] });
          }}
          onClose={() => address.set({ removeUser: null })}
        >
          Their sessions end, and their own saved views are deleted. Failures that were assigned to them become
          unassigned; their notes, the keys that they issued and their entries in Audit stay. To lock out someone who
          uses single sign-on, disable the user instead.
        </Confirm>
      )}
      {edited && (
        <UserForm
          key={edited.id}
          user={edited}
          teams={teams.data?.items ?? []}
          onClose={() => address.set({ user: null })}
        />
      )}
    </Page>
  );
}

const teamColumns: Column<Team>[] = [
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
  { key: 'bodies', title: 'Stores bodies', cell: (team) => <Keeps team={team} /> },
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
    cell: (team) => team.managedBy === null && <Edit name="editTeam" id={team.id} of={team.name} />,
  },
];

function Keeps({ team }: { team: Team }) {
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

const userColumns = (teams: readonly Team[]): Column<User>[] => [
  userColumn,
  roleColumn,
  {
    key: 'team',
    title: 'Team',
    hideBelow: 'Sm',
    cell: (user) => {
      const team = teams.find(({ id }) => id === user.teamId);
      return team ? (
        <Anchor component={Link} to={`/teams/${team.id}`} inherit>
          {team.name}
        </Anchor>
      ) : (
        '–'
      );
    },
  },
  stateColumn,
  {
    key: 'do',
    title: 'Actions',
    untitled: true,
    right: true,
    cell: (user) => <Edit name="user" id={user.id} of={user.email} />,
  },
];

/** Opens the dialog of a team or a user. */
function Edit({ name, id, of }: { name: 'editTeam' | 'user'; id: string; of: string }) {
  const address = useAddress();
  return (
    <Button size="compact-xs" variant="default" onClick={() => address.set({ [name]: id })} aria-label={`Edit ${of}`}>
      Edit…
    </Button>
  );
}
