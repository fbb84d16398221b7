import type { Key, Team } from '@callsmith/contracts';
import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { linkTo } from '../../lib/address.ts';
import { plural } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import type { Column } from '../../ui/table-column.ts';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { KeyState } from '../keys/key-state.tsx';
import { keysQuery } from '../keys/queries.ts';
import { rotationOf } from '../keys/rotation.ts';
import { RotationText } from '../keys/rotation-text.tsx';

/** The valid keys of a team, and when each is to be rotated. */
export function TeamKeys({ of: team }: { of: Team }) {
  const keys = useInfiniteQuery(keysQuery({ teamId: team.id, revoked: false }));
  const now = useNow(60_000);
  const all = keys.data?.pages.flatMap((page) => page.items);
  const due = all?.filter((key) => rotationOf(key, now)?.state === 'due').length ?? 0;
  return (
    <Card
      title="Keys"
      subtitle={due > 0 && `${plural(due, 'key')} due for rotation${keys.hasNextPage ? ' so far' : ''}`}
      flush
      aside={
        <Anchor component={Link} to={linkTo('/keys', { team: team.id })} fz="xs">
          All keys
        </Anchor>
      }
    >
      {keys.isError && !all && <Problem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <LoadingRows rows={3} />}
      {all?.length === 0 && (
        <Text c="dimmed" p="md">
          No keys yet
        </Text>
      )}
      {all && all.length > 0 && (
        <DataTable
          label={`Keys of ${team.name}`}
          rows={all}
          rowKey={(key) => key.id}
          columns={keyColumns}
          sortName="keys"
          {...(all.length > 20 ? { maxHeight: '480px', rowHeight: 40 } : {})}
          {...(keys.hasNextPage ? { onEnd: () => void keys.fetchNextPage() } : {})}
        />
      )}
    </Card>
  );
}

const keyColumns: Column<Key>[] = [
  {
    key: 'holder',
    title: 'Owner',
    cell: (key) => (
      <Anchor component={Link} to={`/keys/${key.id}`} inherit>
        {key.holder}
      </Anchor>
    ),
    sort: (key) => key.holder,
  },
  { key: 'state', title: 'State', hideBelow: 'Sm', cell: (key) => <KeyState of={key} /> },
  {
    key: 'rotation',
    title: 'Rotation',
    cell: (key) => <RotationText of={key} />,
    sort: (key) => rotationOf(key, Date.now())?.at ?? null,
  },
  {
    key: 'used',
    title: 'Last used',
    right: true,
    cell: (key) => (key.lastUsedAt ? <RelativeTime at={key.lastUsedAt} /> : 'never'),
    sort: (key) => key.lastUsedAt,
  },
];
