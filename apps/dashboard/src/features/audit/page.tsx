import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { to, useAddress } from '../../lib/address.ts';
import { may, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, LoadingRows, NoPermission, Problem } from '../../ui/states.tsx';
import css from './page.module.css';
import { auditQuery, type Entry } from './queries.ts';

/** Every change: who, what, before, after, why. */
export function AuditPage() {
  const allowed = may(useMe(), 'admin');
  const address = useAddress();
  const [kind, id] = [address.get('kind'), address.get('id')];
  const audit = useInfiniteQuery({ ...auditQuery(kind, id), enabled: allowed });
  const entries = audit.data?.pages.flatMap((page) => page.items);
  return (
    <Page title="Audit" say="Every change and every access to message content: who, what and why.">
      {!allowed && <NoPermission />}
      {(kind ?? id) && (
        <Group>
          <Button
            size="xs"
            variant="light"
            rightSection={<IconX size={13} />}
            onClick={() => address.set({ kind: null, id: null })}
          >
            Only {kind} {id}
          </Button>
        </Group>
      )}
      {allowed && audit.isError && !entries && <Problem error={audit.error} onRetry={() => void audit.refetch()} />}
      {allowed && audit.isPending && <LoadingRows rows={10} />}
      {entries?.length === 0 && (
        <Empty title="No changes yet">Changes made here or through the API appear in this list.</Empty>
      )}
      {entries && entries.length > 0 && (
        <Card title="Changes" untitled flush>
          <DataTable
            label="Changes"
            rows={entries}
            rowKey={(entry) => entry.id}
            columns={columns}
            maxHeight="calc(100dvh - 150px)"
            rowHeight={56}
            {...(audit.hasNextPage ? { onEnd: () => void audit.fetchNextPage() } : {})}
          />
        </Card>
      )}
    </Page>
  );
}

const columns: Column<Entry>[] = [
  { key: 'at', title: 'When', cell: (entry) => <Moment at={entry.at} />, width: '120px' },
  {
    key: 'actor',
    title: 'Actor',
    hideBelow: 'Sm',
    cell: (entry) => <span style={{ overflowWrap: 'anywhere' }}>{entry.actor}</span>,
  },
  {
    key: 'action',
    title: 'Action',
    cell: (entry) => (
      <>
        <Text fz="sm" fw={550}>
          {entry.action}
        </Text>
        <Text fz="xs" c="dimmed" className={css.actor ?? ''}>
          {entry.actor}
        </Text>
        <Anchor
          component={Link}
          to={to('/audit', { kind: entry.targetKind, id: entry.targetId })}
          fz="xs"
          c="dimmed"
          className={css.target ?? ''}
        >
          {sayTarget(entry)}
        </Anchor>
      </>
    ),
  },
  {
    key: 'change',
    title: 'Before and after',
    hideBelow: 'Md',
    cell: (entry) => <Difference of={entry} />,
    width: '34%',
  },
  { key: 'why', title: 'Reason', hideBelow: 'Sm', cell: (entry) => entry.reason ?? <Text c="dimmed">–</Text> },
];

// `turn_…` says by itself that it is a turn.
const sayTarget = ({ targetKind, targetId }: Entry): string =>
  targetId.startsWith(`${targetKind}_`) ? targetId : `${targetKind} ${targetId}`;

/** The fields that differ, old to new, as text. */
function Difference({ of: { before, after } }: { of: Entry }) {
  const [old, now] = [fields(before), fields(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => say(old[name]) !== say(now[name]),
  );
  if (names.length === 0) return <Text c="dimmed">–</Text>;
  return names.slice(0, 4).map((name) => (
    <Text key={name} fz="xs" className="mono" style={{ overflowWrap: 'anywhere' }}>
      {name}: {before !== null && `${say(old[name])} to `}
      {after === null ? 'removed' : say(now[name])}
    </Text>
  ));
}

const fields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const say = (value: unknown): string => (value === undefined ? '–' : (JSON.stringify(value) ?? '–')).slice(0, 160);
