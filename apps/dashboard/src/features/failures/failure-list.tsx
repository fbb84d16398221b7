import type { TurnRow } from '@callsmith/contracts';
import { Text } from '@mantine/core';
import { formatClockSeconds, formatDay, formatMillis } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { badgeOf, OutcomeBadge } from '../../ui/outcome.tsx';
import { RowLink } from '../../ui/row-link.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';
import { useRequestAddress } from './request-address.ts';

/** Requests in a list, newest first. */
export function FailureList({
  title,
  rows,
  selected,
  wide,
  onEnd,
}: {
  title: string;
  rows: readonly TurnRow[];
  selected: string | undefined;
  wide: boolean;
  onEnd?: () => void;
}) {
  const addressOf = useRequestAddress(wide);
  return (
    <Card title={title} flush>
      <DataTable
        label={title}
        rows={rows}
        rowKey={(turn) => turn.id}
        columns={columns(addressOf, selected)}
        linked
        chosen={(turn) => turn.id === selected}
        maxHeight="calc(100dvh - 250px)"
        rowHeight={52}
        {...(onEnd ? { onEnd } : {})}
      />
    </Card>
  );
}

const columns = (addressOf: (id: string) => string, selected: string | undefined): Column<TurnRow>[] => [
  {
    key: 'at',
    title: 'When',
    cell: (turn) => (
      <RowLink to={addressOf(turn.id)} current={turn.id === selected}>
        {formatClockSeconds(turn.at)}
        <Text span fz="xs" c="dimmed" display="block" fw={400}>
          {formatDay(turn.at)}
        </Text>
      </RowLink>
    ),
  },
  {
    key: 'outcome',
    title: 'Outcome',
    cell: (turn) => (
      <>
        <OutcomeBadge outcome={badgeOf(turn)} />
        <Text fz="xs" c="dimmed">
          {turn.classes.join(', ') || turn.errorCode}
        </Text>
      </>
    ),
  },
  {
    key: 'model',
    title: 'Model',
    cell: (turn) => (
      <>
        <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {turn.model || '–'}
        </Text>
        {turn.strategyUsed && <Tag kind="quiet">{turn.strategyUsed}</Tag>}
      </>
    ),
  },
  { key: 'client', title: 'Client', hideBelow: 'Sm', cell: (turn) => turn.client },
  { key: 'key', title: 'Key', hideBelow: 'Md', cell: (turn) => turn.key ?? '–' },
  { key: 'status', title: 'Status', right: true, hideBelow: 'Md', cell: (turn) => turn.status },
  { key: 'total', title: 'Time', right: true, hideBelow: 'Md', cell: (turn) => formatMillis(turn.totalMs) },
];
