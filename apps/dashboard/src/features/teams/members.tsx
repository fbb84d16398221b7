import type { Team } from '@callsmith/contracts';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { usersQuery } from './queries.ts';
import { roleColumn, stateColumn, userColumn } from './user-columns.tsx';

/** The users of a team, for admins. Owners of its keys need no account and are not among them. */
export function Members({ of: team }: { of: Team }) {
  const users = useQuery(usersQuery);
  const members = users.data?.items.filter(({ teamId }) => teamId === team.id);
  return (
    <Card title="Users" subtitle="Key owners don't need an account." flush>
      {users.isLoadingError && <Problem error={users.error} onRetry={() => void users.refetch()} />}
      {users.isPending && <LoadingRows rows={2} />}
      {members?.length === 0 && (
        <Text c="dimmed" p="md">
          No users yet
        </Text>
      )}
      {members && members.length > 0 && (
        <DataTable
          label={`Users of ${team.name}`}
          rows={members}
          rowKey={(user) => user.id}
          columns={columns}
          sortName="users"
          {...(members.length > 20 && { maxHeight: '320px' })}
        />
      )}
    </Card>
  );
}

const columns = [userColumn, roleColumn, stateColumn];
