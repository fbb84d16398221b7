import type { AskOf, api } from '@callsmith/contracts';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { boundsOf, type Period } from '../../lib/period.ts';

type Query = NonNullable<AskOf<typeof api.turns.clusters>['query']>;

/** What the failures are narrowed to. */
export type Filter = Omit<Query, 'from' | 'to' | 'failures'>;

/** Failures that belong together. */
export const clustersQuery = (period: Period, filter: Filter) =>
  queryOptions({
    queryKey: ['failures', 'clusters', period, filter],
    queryFn: ({ signal }) => client.turns.clusters({ query: { ...boundsOf(period), ...filter } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 'range' in period ? 10_000 : false,
  });

/** Turns that are not clean, newest first, page by page. */
export const failuresQuery = (period: Period, filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['failures', 'list', period, filter],
    queryFn: ({ signal, pageParam }) =>
      client.turns.failures(
        { query: { ...boundsOf(period), ...filter, limit: 100, cursor: pageParam ?? undefined } },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    refetchInterval: 'range' in period ? 15_000 : false,
  });

/** One turn with all that was kept of it; what was said does not change any more. */
export const turnQuery = (id: string) =>
  queryOptions({
    queryKey: ['turns', id],
    queryFn: ({ signal }) => client.turns.show({ params: { id } }, signal),
    staleTime: 60_000,
  });
