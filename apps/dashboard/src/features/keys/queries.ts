import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { boundsOf } from '../../lib/period.ts';

export interface KeyFilter {
  readonly teamId?: string | undefined;
  readonly revoked: boolean;
  /** Words, each of which is in the owner’s name, the hint, the team’s name or the last client’s; empty: any. */
  readonly q?: string;
}

/** Keys, newest first, page by page. */
export const keysQuery = ({ teamId, revoked, q = '' }: KeyFilter) =>
  infiniteQueryOptions({
    queryKey: ['keys', { teamId, revoked, q }],
    queryFn: ({ signal, pageParam }) =>
      client.keys.list(
        {
          query: {
            teamId,
            revoked: revoked ? 'true' : 'false',
            limit: 200,
            cursor: pageParam ?? undefined,
            q: q === '' ? undefined : q,
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: 15_000,
  });

/** The newest keys with each word in the owner’s name, the hint or the team’s name. */
export const keysNamedQuery = (q: string) =>
  queryOptions({
    queryKey: ['keys', 'named', q],
    queryFn: ({ signal }) => client.keys.list({ query: { q, limit: 10 } }, signal),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });

/** One key, revoked or not. */
export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', 'one', id],
    queryFn: ({ signal }) => client.keys.show({ params: { id } }, signal),
    refetchInterval: 15_000,
  });

/** Teams to issue keys for. */
export const teamsQuery = queryOptions({
  queryKey: ['teams'],
  queryFn: ({ signal }) => client.teams.list(undefined, signal),
  staleTime: 30_000,
});

/** Models that a key may be bound to. */
export const modelNamesQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => client.models.list(undefined, signal),
  staleTime: 30_000,
});

/** What each key used in the last 24 hours, by key id. */
export const usageQuery = queryOptions({
  queryKey: ['usage', 'key'],
  queryFn: async ({ signal }) => {
    const { items } = await client.stats.usage({ query: { by: 'key', ...boundsOf({ range: '24h' }) } }, signal);
    return new Map(items.map((item) => [item.id, item]));
  },
  refetchInterval: 30_000,
});

export type Usage = Awaited<ReturnType<typeof client.stats.usage>>['items'][number];

/** Budgets of teams and owners. */
export const budgetsQuery = queryOptions({
  queryKey: ['budgets'],
  queryFn: ({ signal }) => client.budgets.list(undefined, signal),
  refetchInterval: 30_000,
});
