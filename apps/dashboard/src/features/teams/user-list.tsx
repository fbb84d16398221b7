import type { Team, User } from '@callsmith/contracts';
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import type { Column } from '../../ui/table-column.ts';
import { EditButton } from './edit-button.tsx';
import { usersQuery } from './queries.ts';
import { roleColumn, stateColumn, userColumn } from './user-columns.tsx';

/** All users of the dashboard. */
export function UserList({ teams }: { teams: readonly Team[] }) {
  const users = useQuery(usersQuery);
  return (
    <Card title="Users" flush>
      {users.isLoadingError && <Problem error={users.error} />}
      {users.isPending && <LoadingRows rows={3} />}
      {users.data && (
        <DataTable
          label="Users"
          rows={users.data.items}
          rowKey={(user) => user.id}
          columns={columns(teams)}
          sortName="users"
          {...(users.data.items.length > 60 && { maxHeight: '640px' })}
        />
      )}
    </Card>
  );
}

const columns = (teams: readonly Team[]): Column<User>[] => [
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
    cell: (user) => <EditButton name="user" id={user.id} of={user.email} />,
  },
];
