import type { OwnRequest } from '@callsmith/contracts';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatMillis } from '../../lib/format.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { badgeOf, OutcomeBadge } from '../../ui/outcome.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { ownRequestsQuery } from './queries.ts';

/** The own requests as they come in; `tests`: ids of those that this page sent. */
export function OwnRequests({ tests }: { tests: ReadonlySet<string> }) {
  const requests = useQuery(ownRequestsQuery);
  if (requests.isError && !requests.data) return <Problem error={requests.error} />;
  if (!requests.data) return <LoadingRows rows={4} />;
  const { items } = requests.data;
  const newest = items.find(({ requestId }) => !tests.has(requestId));
  return (
    <Stack gap="sm">
      <Text px="md" role="status">
        {newest
          ? `Connected: ${newest.client === 'other' ? 'a client' : newest.client} sent a request${newest.model && ` to ${newest.model}`}.`
          : 'Waiting for the first request of your client. It appears here by itself.'}
      </Text>
      {items.length > 0 && (
        <DataTable label="Your requests" rows={items} columns={columns(tests)} rowKey={({ id }) => id} />
      )}
    </Stack>
  );
}

const columns = (tests: ReadonlySet<string>): Column<OwnRequest>[] => [
  { key: 'at', title: 'Time', cell: ({ at }) => <RelativeTime at={at} />, sort: ({ at }) => at },
  {
    key: 'model',
    title: 'Model',
    cell: ({ model, requestId }) => (
      <span style={{ overflowWrap: 'anywhere' }}>
        {model || '–'} {tests.has(requestId) && <Tag kind="quiet">test</Tag>}
      </span>
    ),
    sort: ({ model }) => model,
  },
  {
    key: 'outcome',
    title: 'Outcome',
    cell: (request) => (
      <>
        <OutcomeBadge outcome={badgeOf(request)} />
        {(request.errorCode ?? request.classes[0]) && (
          <Text fz="xs" c="dimmed">
            {request.errorCode ?? request.classes.join(', ')}
          </Text>
        )}
      </>
    ),
    sort: (request) => badgeOf(request),
  },
  { key: 'client', title: 'Client', cell: ({ client }) => client, sort: ({ client }) => client, hideBelow: 'Md' },
  {
    key: 'duration',
    title: 'Duration',
    right: true,
    cell: ({ totalMs }) => formatMillis(totalMs),
    sort: ({ totalMs }) => totalMs,
    hideBelow: 'Sm',
  },
  {
    key: 'request',
    title: 'Request ID',
    cell: ({ requestId }) => (
      <Text fz="xs" className="mono">
        {requestId}
      </Text>
    ),
    hideBelow: 'Lg',
  },
];
