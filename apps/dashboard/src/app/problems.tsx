import { Alert, List } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../lib/api.ts';
import { formatClock, plural } from '../lib/format.ts';

const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => client.installation.status(undefined, signal),
  refetchInterval: 15_000,
});

type Status = Awaited<ReturnType<typeof client.installation.status>>;

/** What is wrong right now: stores that do not answer, upstreams that refuse. Nothing where all is well. */
export function Problems() {
  const { data } = useQuery(statusQuery);
  const lines = data ? linesOf(data) : [];
  if (lines.length === 0) return null;
  return (
    <Alert
      color="yellow"
      variant="light"
      mb="lg"
      icon={<IconPlugConnectedX size={18} />}
      title={lines.length === 1 ? lines[0] : `${lines.length} things need a look`}
      role="status"
    >
      {lines.length > 1 && (
        <List fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {lines.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}

function linesOf({ database, redis, record, problems }: Status): string[] {
  const lines = [...problems];
  if (!database.ok)
    lines.unshift(`The database does not answer${since(database.since)}: requests go on from what is held in memory.`);
  if (redis && !redis.ok) lines.push(`Redis does not answer${since(redis.since)}: limits are counted per process.`);
  if (record.lost > 0) lines.push(`${plural(record.lost, 'turn was', 'turns were')} served but not recorded.`);
  return lines;
}

const since = (at: string | null) => (at ? ` since ${formatClock(at)}` : '');
