import { queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';

/** Teams. */
export const teamsQuery = queryOptions({
  queryKey: ['teams'],
  queryFn: ({ signal }) => client.teams.list(undefined, signal),
});

/** Users. */
export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => client.users.list(undefined, signal),
});
