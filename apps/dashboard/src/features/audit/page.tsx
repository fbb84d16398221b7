import { Anchor, Autocomplete, Button, Group, SegmentedControl, Select, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { boundsOf, periodOf } from '../../lib/period.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { Empty, LoadingRows, NoPermission, Problem } from '../../ui/states.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import { usersQuery } from '../teams/queries.ts';
import css from './page.module.css';
import { type AuditEntry, type AuditFilter, auditAddress, auditQuery } from './queries.ts';

/** Every change, and apart from them every access to message content: who, what, before, after, why. */
export function AuditPage() {
  const allowed = hasRole(useMe(), 'admin');
  const address = useAddress();
  const filter = filterOf(address.params);
  const audit = useInfiniteQuery({ ...auditQuery(filter), enabled: allowed });
  const entries = audit.data?.pages.flatMap((page) => page.items);
  const reads = filter.kind === 'reads';
  return (
    <Page
      title="Audit"
      subtitle={reads ? 'Who read or exported message content and requests.' : 'Every change: who, what and why.'}
      actions={allowed && <CsvLink href={auditAddress(filter)} />}
    >
      {!allowed && <NoPermission />}
      {allowed && <Filters filter={filter} />}
      {allowed && audit.isError && !entries && <Problem error={audit.error} onRetry={() => void audit.refetch()} />}
      {allowed && audit.isPending && <LoadingRows rows={10} />}
      {entries?.length === 0 && (
        <Empty title={reads ? 'Nobody read message content' : 'No changes'}>
          {address.get('actor') || address.get('type') || address.get('id')
            ? 'No entries match these filters.'
            : 'Changes made here or through the API appear in this list.'}
        </Empty>
      )}
      {entries && entries.length > 0 && (
        <Card title={reads ? 'Reads' : 'Changes'} untitled flush>
          <DataTable
            label={reads ? 'Reads' : 'Changes'}
            rows={entries}
            rowKey={(entry) => entry.id}
            columns={reads ? columns.filter(({ key }) => key !== 'change') : columns}
            maxHeight="calc(100dvh - 200px)"
            rowHeight={56}
            {...(audit.hasNextPage ? { onEnd: () => void audit.fetchNextPage() } : {})}
          />
        </Card>
      )}
    </Page>
  );
}

/** Reads the filter from an address. */
function filterOf(params: URLSearchParams): AuditFilter {
  const word = (name: string) => params.get(name) ?? undefined;
  const period = boundsOf(periodOf(params, '30d'));
  return {
    ...period,
    kind: params.get('kind') === 'reads' ? 'reads' : 'changes',
    actor: word('actor'),
    targetKind: word('type'),
    targetId: word('id'),
  };
}

const types = ['model', 'upstream', 'key', 'team', 'user', 'settings', 'webhook', 'redaction', 'turn', 'demo'];

/** Narrows the entries; every filter is in the URL. */
function Filters({ filter }: { filter: AuditFilter }) {
  const address = useAddress();
  const users = useQuery(usersQuery);
  const later = useDebouncedCallback((word: string) => address.set({ actor: word.trim() || null }), 400);
  return (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label="Kind"
        data={[
          { value: 'changes', label: 'Changes' },
          { value: 'reads', label: 'Reads' },
        ]}
        value={filter.kind ?? 'changes'}
        onChange={(kind) => address.set({ kind: kind === 'reads' ? kind : null })}
      />
      <Autocomplete
        key={filter.actor ?? ''}
        size="xs"
        w={220}
        placeholder="Actor"
        aria-label="Actor"
        data={[...(users.data?.items.map(({ email }) => email) ?? []), 'admin-key', 'start', 'env']}
        defaultValue={filter.actor ?? ''}
        onChange={later}
        onOptionSubmit={(actor) => address.set({ actor })}
      />
      <Select
        size="xs"
        w={140}
        placeholder="Target"
        aria-label="Target"
        data={types}
        value={filter.targetKind ?? null}
        onChange={(type) => address.set({ type, id: null })}
        clearable
      />
      <RangePicker period={periodOf(address.params, '30d')} />
      {filter.targetId && (
        <Button
          size="xs"
          variant="light"
          rightSection={<IconX size={13} />}
          onClick={() => address.set({ id: null })}
          aria-label="Clear target filter"
        >
          Only {filter.targetId}
        </Button>
      )}
    </Group>
  );
}

const columns: Column<AuditEntry>[] = [
  { key: 'at', title: 'When', cell: (entry) => <Timestamp at={entry.at} />, width: '120px' },
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
          to={linkTo('/audit', { type: entry.targetKind, id: entry.targetId })}
          fz="xs"
          c="dimmed"
          className={css.target ?? ''}
        >
          {targetText(entry)}
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

const targetText = ({ targetKind, targetId, target }: AuditEntry): string => {
  if (target !== null) return `${targetKind} ${target}`;
  // `turn_…` says by itself that it is one.
  return targetId.startsWith(`${targetKind}_`) ? targetId : `${targetKind} ${targetId}`;
};

/** The fields that differ, old to new, as text. */
function Difference({ of: { before, after } }: { of: AuditEntry }) {
  const [old, now] = [fields(before), fields(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => jsonText(old[name]) !== jsonText(now[name]),
  );
  if (names.length === 0) return <Text c="dimmed">–</Text>;
  return names.slice(0, 4).map((name) => (
    <Text key={name} fz="xs" className="mono" style={{ overflowWrap: 'anywhere' }}>
      {name}: {before !== null && `${jsonText(old[name])} to `}
      {after === null ? 'removed' : jsonText(now[name])}
    </Text>
  ));
}

const fields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const jsonText = (value: unknown): string => (value === undefined ? '–' : (JSON.stringify(value) ?? '–')).slice(0, 160);
