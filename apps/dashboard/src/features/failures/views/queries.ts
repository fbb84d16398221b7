import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../lib/api.ts';

/** The saved views that the signed-in user sees. */
export const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: ({ signal }) => client.savedViews.list(undefined, signal),
  staleTime: 30_000,
});
