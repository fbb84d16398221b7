import type { User } from '@callsmith/contracts';
import { Text } from '@mantine/core';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';

/** A user's address, which may break at its @, and name. */
export const userColumn: Column<User> = {
  key: 'email',
  title: 'User',
  cell: (user) => (
    <>
      <Text fw={550} style={{ overflowWrap: 'anywhere' }}>
        {user.email.slice(0, user.email.lastIndexOf('@') + 1)}
        <wbr />
        {user.email.slice(user.email.lastIndexOf('@') + 1)}
      </Text>
      {user.name && (
        <Text fz="xs" c="dimmed">
          {user.name}
        </Text>
      )}
    </>
  ),
  sort: (user) => user.email,
};

/** What a user may do. */
export const roleColumn: Column<User> = {
  key: 'role',
  title: 'Role',
  cell: (user) => user.role,
  sort: (user) => user.role,
};

/** Whether a user can sign in. */
export const stateColumn: Column<User> = {
  key: 'state',
  title: 'State',
  cell: (user) => (user.disabledAt ? 'disabled' : user.active ? 'active' : <Tag kind="quiet">invited</Tag>),
};
