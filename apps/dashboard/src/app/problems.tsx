import { ApiError } from '@callsmith/contracts';
import { Button } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { formatClock, plural } from '../lib/format.ts';
import css from './problems.module.css';
import { type Outage, type Status, useReachability } from './reachability.ts';

/** What is wrong right now: what cannot be reached, be it the gateway itself. Renders nothing when all is well. */
export function Problems() {
  const { status, error, away, since: lastAt, retry, retrying } = useReachability();
  const lines = away ? [awayText(away)] : error ? unansweredLines(error, lastAt) : status ? linesOf(status) : [];
  if (lines.length === 0) return null;
  return (
    <div className={css.problems}>
      <IconPlugConnectedX size={18} stroke={1.7} aria-hidden="true" />
      <div role="status" className={css.lines}>
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </div>
      {away && (
        <Button size="compact-xs" variant="default" loading={retrying} onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Who cannot be reached, and what that means for what is shown. */
const awayText = ({ by, since: last }: Outage) => {
  const at = since(last > 0 ? new Date(last).toISOString() : null);
  return by === 'browser'
    ? `You are offline${at}. What you see was loaded before; it is updated once you are connected again.`
    : `The gateway is not responding${at}. What you see was loaded before; it is updated once the gateway responds again.`;
};

// Without its database the gateway knows no session, so it cannot say what is wrong either.
const unansweredLines = (error: Error, lastAt: number): string[] =>
  error instanceof ApiError && error.code === 'store_unavailable'
    ? [storeDownText(lastAt > 0 ? new Date(lastAt).toISOString() : null)]
    : [];

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
