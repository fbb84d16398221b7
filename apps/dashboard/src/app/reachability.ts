import { ApiError } from '@callsmith/contracts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../lib/api.ts';

/** Until when what is shown was true, and whose network is at fault. */
export interface Outage {
  readonly by: 'browser' | 'gateway';
  /** When the gateway answered last, in milliseconds; 0 where it did not since the page was opened. */
  readonly since: number;
}

const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => client.installation.status(undefined, signal),
  // Soon again while there is no answer.
  refetchInterval: ({ state: { error } }) => (isUnreachable(error) ? 4_000 : 15_000),
  retry: false,
});

export type Status = Awaited<ReturnType<typeof client.installation.status>>;

/**
 * The gateway’s status, polled, and whether it answers at all. Once it answers again, everything that is shown is
 * fetched again.
 */
export function useReachability() {
  const queries = useQueryClient();
  const { data, error, dataUpdatedAt, refetch, isFetching } = useQuery(statusQuery);
  const lost = isUnreachable(error);
  useEffect(() => {
    const look = () => void refetch();
    window.addEventListener('online', look);
    window.addEventListener('offline', look);
    return () => {
      window.removeEventListener('online', look);
      window.removeEventListener('offline', look);
    };
  }, [refetch]);
  useEffect(() => {
    if (!lost) return;
    return () =>
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== statusQuery.queryKey[0] });
  }, [lost, queries]);
  const away: Outage | null = lost ? { by: navigator.onLine ? 'gateway' : 'browser', since: dataUpdatedAt } : null;
  return { status: data, error, away, since: dataUpdatedAt, retry: () => void refetch(), retrying: isFetching };
}

// A reverse proxy answers for a gateway that is down; a database that is down is another matter.
const isUnreachable = (error: Error | null) =>
  error !== null && !(error instanceof ApiError && (error.status < 500 || error.code === 'store_unavailable'));
