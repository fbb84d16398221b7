import { queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';

/** What a one-time link is for; looking does not use it. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['link', token],
    queryFn: ({ signal }) => client.session.link({ body: { token } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: token.length >= 16,
  });

/** How one may sign in besides by e-mail and password. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in ways'],
  queryFn: ({ signal }) => client.session.ways(undefined, signal),
  staleTime: Number.POSITIVE_INFINITY,
});
