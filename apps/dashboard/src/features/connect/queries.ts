import { queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';

/** The own key, its use and its models. */
export const ownKeyQuery = queryOptions({
  queryKey: ['connect', 'key'],
  queryFn: ({ signal }) => client.connect.show(undefined, signal),
  refetchInterval: 30_000,
});

/** Somebody waits for the first request: asked often for ten minutes, then each minute. */
const OFTEN = 150;

/** The last requests of the own key. */
export const ownRequestsQuery = queryOptions({
  queryKey: ['connect', 'requests'],
  queryFn: ({ signal }) => client.connect.requests(undefined, signal),
  refetchInterval: ({ state }) => (state.dataUpdateCount < OFTEN ? 4_000 : 60_000),
});
