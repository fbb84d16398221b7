import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../lib/api.ts';

/** The saved views that whoever is signed in sees. */
export const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: ({ signal }) => client.savedViews.list(undefined, signal),
  staleTime: 30_000,
});
