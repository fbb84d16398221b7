import { api, type InputOf } from '@callsmith/contracts';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { linkTo } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';

export type AuditEntry = Awaited<ReturnType<typeof client.installation.audit>>['items'][number];

/** Which entries are listed. */
export type AuditFilter = NonNullable<InputOf<typeof api.installation.auditFile>['query']>;

/** The entries, newest first, page by page. */
export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ signal, pageParam }) =>
      client.installation.audit({ query: { ...filter, limit: 100, cursor: pageParam ?? undefined } }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

/** Where the same entries are to be had as a file. */
export const auditAddress = (filter: AuditFilter): string => linkTo(api.installation.auditFile.path, { ...filter });
