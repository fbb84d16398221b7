import type { Me, Role } from '@callsmith/contracts';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { client } from './api.ts';

export const sessionKey = ['session'] as const;

/** Who is signed in; fails with 401 where nobody is. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: ({ signal }) => client.session.show(undefined, signal),
  staleTime: 60_000,
  // The first request to a model of their own ends the demo.
  refetchInterval: ({ state: { data } }) => (data?.installation.demoOnly ? 10_000 : false),
});

/** Who is signed in. Only below the shell, which has seen to it that somebody is. */
export const useMe = (): Me => useSuspenseQuery(sessionQuery).data;

const ranks: Record<Role, number> = { viewer: 0, editor: 1, admin: 2 };

/** True if the signed-in user's role is at least `role`. */
export const hasRole = (me: Me, role: Role): boolean => ranks[me.user.role] >= ranks[role];
