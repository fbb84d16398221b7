import type { TurnRow } from '@callsmith/contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { linkTo, useAddress } from '../../../lib/address.ts';
import { formatCompact, formatMoment, formatShare, plural } from '../../../lib/format.ts';
import { hasRole, useMe } from '../../../lib/session.ts';
import { Card } from '../../../ui/card.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { badgeOf, OutcomeBadge } from '../../../ui/outcome.tsx';
import { RowLink } from '../../../ui/row-link.tsx';
import { LoadingRows, Problem } from '../../../ui/states.tsx';
import type { Column } from '../../../ui/table-column.ts';
import { turnQuery } from '../queries.ts';
import { cacheMissReasons, hadCacheMiss } from './cache-miss.ts';
import { prefixBreak } from './prefix.ts';
import { conversationQuery, MOST_SHOWN } from './queries.ts';

interface Row {
  readonly n: number;
  readonly turn: TurnRow;
  readonly before: TurnRow | undefined;
}

/** All requests of a conversation in order, with what of each was cached; the one that is looked at is marked. */
export function ConversationPanel({ turn, conversation }: { turn: TurnRow; conversation: string }) {
  const address = useAddress();
  const listed = useQuery(conversationQuery(conversation, turn.at));
  const [shownRow, setShownRow] = useState<Row | null>(null);
  const rows = listed.data?.items.map((one, at, all): Row => ({ n: at + 1, turn: one, before: all[at - 1] })) ?? [];
  return (
    <Card
      title="Conversation"
      subtitle={listed.data && summaryOf(rows, listed.data.more)}
      flush={rows.length > 0}
      aside={
        <Button size="xs" variant="default" onClick={() => address.set({ thread: null })}>
          Close
        </Button>
      }
    >
      {listed.isPending && <LoadingRows rows={4} />}
      {listed.isLoadingError && <Problem error={listed.error} onRetry={() => void listed.refetch()} />}
      {rows.length > 0 && (
        <DataTable
          label="Requests of the conversation"
          rows={rows}
          rowKey={(row) => row.turn.id}
          columns={columnsOf(setShownRow)}
          chosen={(row) => row.turn.id === turn.id}
          sortName="conversationSort"
          maxHeight="360px"
          linked
        />
      )}
      {shownRow?.before && <Cause key={shownRow.turn.id} before={shownRow.before} row={shownRow} />}
    </Card>
  );
}

function summaryOf(rows: readonly Row[], more: boolean): string {
  const short = rows.filter(({ before, turn }) => hadCacheMiss(before, turn)).length;
  const found = short > 0 ? `; in ${plural(short, 'of them', 'of them')} the prefix cache was missed` : '';
  return `${more ? `The newest ${MOST_SHOWN} requests` : plural(rows.length, 'request')}, the oldest first${found}`;
}

const columnsOf = (ask: (row: Row) => void): Column<Row>[] => [
  {
    key: 'n',
    title: 'No.',
    cell: ({ n, turn }) => (
      <RowLink to={linkTo(`/failures/${encodeURIComponent(turn.id)}`, { thread: 'yes' })}>
        {n}, {formatMoment(turn.at)}
      </RowLink>
    ),
    sort: ({ n }) => n,
  },
  { key: 'outcome', title: 'Outcome', cell: ({ turn }) => <OutcomeBadge outcome={badgeOf(turn)} /> },
  { key: 'in', title: 'Tokens in', right: true, hideBelow: 'Sm', cell: ({ turn }) => tokens(turn.inputTokens) },
  { key: 'out', title: 'Tokens out', right: true, hideBelow: 'Sm', cell: ({ turn }) => tokens(turn.outputTokens) },
  {
    key: 'cached',
    title: 'Cached',
    right: true,
    hideBelow: 'Sm',
    cell: ({ turn: { cachedTokens, inputTokens } }) =>
      cachedTokens === null
        ? '–'
        : `${formatCompact(cachedTokens)}${inputTokens ? ` (${formatShare(cachedTokens / inputTokens)})` : ''}`,
  },
  {
    key: 'why',
    title: 'Prefix',
    cell: (row) => {
      const fell = hadCacheMiss(row.before, row.turn);
      if (fell === undefined) return '–';
      if (!fell) return 'kept';
      return (
        <Button size="compact-xs" variant="default" pos="relative" style={{ zIndex: 2 }} onClick={() => ask(row)}>
          What changed?
        </Button>
      );
    },
  },
];

const tokens = (count: number | null) => (count === null ? '–' : formatCompact(count));

/** Why a request found less in the cache than the one before it had left there. */
function Cause({ before, row: { n, turn } }: { before: TurnRow; row: Row }) {
  const allowed = hasRole(useMe(), 'editor');
  const reasons = cacheMissReasons(before, turn);
  return (
    <Stack gap={6} p="md" role="status" aria-label={`What changed before request ${n}`}>
      <Text fz="sm" fw={600}>
        Request {n}
      </Text>
      {reasons.map((reason) => (
        <Text key={reason} fz="sm">
          {reason}
        </Text>
      ))}
      {allowed ? (
        <Difference before={before} turn={turn} />
      ) : (
        <Text fz="sm">Message content of the two requests is visible to editors of the team and to admins.</Text>
      )}
    </Stack>
  );
}

function Difference({ before, turn }: { before: TurnRow; turn: TurnRow }) {
  const [old, now] = [useQuery(turnQuery(before.id)), useQuery(turnQuery(turn.id))];
  if (old.isPending || now.isPending) return <LoadingRows rows={2} />;
  const error = old.error ?? now.error;
  if (!old.data || !now.data) return <Problem error={error} />;
  const [earlier, later] = [old.data.body?.clientRequest, now.data.body?.clientRequest];
  if (!earlier || !later) return <Text fz="sm">One of the two requests was not stored: they cannot be compared.</Text>;
  const found = prefixBreak(earlier, later);
  if (found === undefined)
    return (
      <Text fz="sm">
        The two requests cannot be compared: one was not stored whole, or contains only what was added.
      </Text>
    );
  if (found === null)
    return (
      <Text fz="sm">
        The client’s system prompt, tools and messages begin like those of the previous request. The server’s cache may
        have dropped them, or the gateway’s additions changed: compare the upstream requests.
      </Text>
    );
  return (
    <>
      <Text fz="sm">
        {found.where} is not what it was in the request before: nothing from there on could come from the cache.
      </Text>
      <Side sign="−" text={found.before} />
      <Side sign="+" text={found.after} />
    </>
  );
}

const Side = ({ sign, text }: { sign: string; text: string | null }) => (
  <Group gap={8} wrap="nowrap" align="flex-start" fz="sm">
    <span className="mono">{sign}</span>
    {text === null ? (
      <Text c="dimmed" inherit>
        nothing
      </Text>
    ) : (
      <span className="mono" style={{ overflowWrap: 'anywhere' }}>
        {text}
      </span>
    )}
  </Group>
);
