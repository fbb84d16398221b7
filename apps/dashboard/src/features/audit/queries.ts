import { infiniteQueryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';

export type Entry = Awaited<ReturnType<typeof client.installation.audit>>['items'][number];

/** Every change, newest first, page by page. */
export const auditQuery = (targetKind: string | undefined, targetId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['audit', targetKind, targetId],
    queryFn: ({ signal, pageParam }) =>
      client.installation.audit(
        { query: { targetKind, targetId, limit: 100, cursor: pageParam ?? undefined } },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
