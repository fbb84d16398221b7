import { ApiError } from '@callsmith/contracts';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../lib/api.ts';
import { formatClock, plural } from '../lib/format.ts';
import css from './problems.module.css';

const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => client.installation.status(undefined, signal),
  refetchInterval: 15_000,
  retry: false,
});

type Status = Awaited<ReturnType<typeof client.installation.status>>;

/** What is wrong right now: databases and upstreams that cannot be reached. Renders nothing when all is well. */
export function Problems() {
  const { data, error, dataUpdatedAt } = useQuery(statusQuery);
  const lines = error ? [unansweredText(error, dataUpdatedAt)] : data ? linesOf(data) : [];
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

// Without its database the gateway knows no session, so it cannot say what is wrong either.
function unansweredText(error: Error, lastAt: number): string {
  const at = lastAt > 0 ? new Date(lastAt).toISOString() : null;
  return error instanceof ApiError && error.code === 'store_unavailable'
    ? storeDownText(at)
    : `The gateway is not responding${since(at)}: this page may be out of date.`;
}

const storeDownText = (at: string | null) =>
  `The database is unreachable${since(at)}: requests are served from memory for a while, then refused.`;

function linesOf({ database, redis, record, problems }: Status): string[] {
  const lines = [...problems];
  if (!database.ok) lines.unshift(storeDownText(database.since));
  if (redis && !redis.ok)
    lines.push(
      `Redis is unreachable${since(redis.since)}: each process enforces limits on its own for a while, then keys with limits are refused.`,
    );
  if (record.diskFull)
    lines.unshift('The disk of the database is full: requests are served, but not recorded. Free some space on it.');
  if (record.lost > 0) lines.push(`${plural(record.lost, 'request was', 'requests were')} served but not recorded.`);
  return lines;
}

const since = (at: string | null) => (at ? ` (since ${formatClock(at)})` : '');
