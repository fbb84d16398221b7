import { api, type InputOf, type WorkFilter } from '@callsmith/contracts';
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { linkTo } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { boundsOf, type Period } from '../../lib/period.ts';

type Query = NonNullable<InputOf<typeof api.turns.clusters>['query']>;

/** What the failures are narrowed to. */
export type Filter = Omit<Query, 'from' | 'to' | 'failures' | 'cursor' | 'limit' | keyof WorkFilter>;

export type Groups = Awaited<ReturnType<typeof client.turns.clusters>>;
export type Facets = Awaited<ReturnType<typeof client.turns.facets>>;

/** Failures in groups, those with the most first, page by page. */
export const groupsQuery = (period: Period, filter: Filter, work: WorkFilter) =>
  infiniteQueryOptions({
    queryKey: ['failures', 'groups', period, filter, work],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...boundsOf(period), ...filter, ...work, cursor: pageParam ?? undefined };
      return client.turns.clusters({ query }, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    refetchInterval: 'range' in period ? 10_000 : false,
  });

/** The story of a group of failures in a team's list (undefined: the own one), and what was decided about it. */
export const groupHistoryQuery = (group: string, teamId: string | undefined) =>
  queryOptions({
    queryKey: ['failures', 'story', group, teamId],
    queryFn: ({ signal }) => client.turns.story({ query: { group, teamId } }, signal),
  });

/** Rows of a page of requests. */
const PAGE = 100;

/**
 * Failed and repaired requests, or all of them, newest first, page by page. `live`: they are polled every two seconds,
 * as long as nobody reads further down.
 */
export const turnsQuery = (period: Period, filter: Filter, all: boolean, live = false) =>
  infiniteQueryOptions({
    queryKey: ['failures', all ? 'all' : 'list', period, filter],
    queryFn: ({ signal, pageParam }) => {
      const ask = { query: { ...boundsOf(period), ...filter, limit: PAGE, cursor: pageParam ?? undefined } };
      return all ? client.turns.list(ask, signal) : client.turns.failures(ask, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      const first = (data?.pages.length ?? 0) <= 1;
      // All pages of a search would be searched again.
      if (!('range' in period) || (!first && (filter.text ?? filter.argument) !== undefined)) return false;
      return live && first ? 2_000 : 15_000;
    },
  });

export type Requests = UseInfiniteQueryResult<
  InfiniteData<{ readonly items: readonly unknown[]; readonly next: string | null }>
>;

/** A search of message content looks at a number of requests for each page: true if it has not looked at all of them. */
export const stoppedEarly = ({ data, hasNextPage }: Pick<Requests, 'data' | 'hasNextPage'>): boolean =>
  hasNextPage && (data?.pages.at(-1)?.items.length ?? PAGE) < PAGE;

/** How many of the requests, or of the failed and repaired ones, have which value. */
export const facetsQuery = (period: Period, filter: Filter, all: boolean) =>
  queryOptions({
    queryKey: ['turns', 'facets', period, filter, all],
    queryFn: ({ signal }) => {
      const query = { ...boundsOf(period), ...filter, ...(all ? {} : { failures: 'true' as const }) };
      return client.turns.facets({ query }, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: 'range' in period ? 30_000 : false,
  });

/** One request with all that is stored of it; its bodies do not change any more. */
export const turnQuery = (id: string) =>
  queryOptions({
    queryKey: ['turns', id],
    queryFn: ({ signal }) => client.turns.show({ params: { id } }, signal),
    staleTime: 60_000,
  });

/** The address of the same requests as a file, without bodies. */
export const exportAddress = (period: Period, filter: Filter, all: boolean): string =>
  linkTo(api.turns.export.path, { ...boundsOf(period), ...filter, failures: all ? null : 'true', format: 'csv' });

/** Prepared files; polled every second while one is being prepared. */
export const exportsQuery = queryOptions({
  queryKey: ['exports'],
  queryFn: ({ signal }) => client.exports.list(undefined, signal),
  refetchInterval: ({ state: { data } }) =>
    data?.items.some(({ state }) => state === 'waiting' || state === 'running') ? 1_000 : 15_000,
});

/** The address of a prepared file. */
export const exportFile = (id: string): string => `/api/exports/${encodeURIComponent(id)}/file`;
