import { IconPlugConnectedX } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../lib/api.ts';
import { formatClock, plural } from '../lib/format.ts';
import css from './problems.module.css';

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
    <div className={css.problems} role="status">
      <IconPlugConnectedX size={18} stroke={1.7} aria-hidden="true" />
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
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
