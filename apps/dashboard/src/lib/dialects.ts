import { queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';

/** The dialects that Callsmith speaks. */
export const dialectsQuery = queryOptions({
  queryKey: ['dialects'],
  queryFn: ({ signal }) => client.models.dialects(undefined, signal),
  staleTime: Number.POSITIVE_INFINITY,
});
