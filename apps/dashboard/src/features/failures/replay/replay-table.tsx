import type { ReplayRow } from '@callsmith/contracts';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { linkTo } from '../../../lib/address.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import type { Column } from '../../../ui/table-column.ts';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { Differences, ParseResult } from './parse-result.tsx';
import { changeOf } from './replay-counts.ts';

/** Answers that were read again: how they came out then and now, and what differs. `again`: what was chosen for it. */
export const ReplayTable = ({ rows, again }: { rows: readonly ReplayRow[]; again?: string }) => (
  <DataTable label="Re-parse" rows={rows} rowKey={({ id }) => id} columns={columns(again)} sortName="replaySort" />
);

const order = { worse: 0, better: 1, changed: 2, unparsed: 3, same: 4 } as const;

const columns = (again: string | undefined): Column<ReplayRow>[] => [
  ...(again === undefined
    ? []
    : [
        {
          key: 'turn',
          title: 'Request',
          cell: ({ id, at, model }: ReplayRow) => (
            <>
              <Anchor component={Link} to={linkTo(`/failures/${encodeURIComponent(id)}`, { again })} fz="sm">
                <Timestamp at={at} />
              </Anchor>
              <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {model}
              </Text>
            </>
          ),
          sort: ({ at }: ReplayRow) => at,
        },
      ]),
  {
    key: 'old',
    title: 'Recorded',
    ...(again === undefined ? {} : { hideBelow: 'Sm' as const }),
    cell: ({ old }) => <ParseResult of={old} />,
    sort: ({ old }) => old.outcome,
  },
  {
    key: 'new',
    title: 'Re-parsed',
    cell: ({ new: now, problem }) =>
      now ? (
        <ParseResult of={now} />
      ) : (
        <Text fz="xs" c="dimmed">
          {problem}
        </Text>
      ),
    sort: ({ new: now }) => now?.outcome ?? null,
  },
  {
    key: 'differs',
    title: 'Differences',
    cell: ({ new: now, differences }) => now && <Differences of={differences} />,
    sort: (row) => order[changeOf(row)],
  },
];
