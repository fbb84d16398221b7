import { ApiError } from '@callsmith/contracts';
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionKey } from '../lib/session.ts';

/** What was asked of the server, for all screens. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // The session ended: asking for it again leads to the sign-in page.
      if (error instanceof ApiError && error.status === 401 && query.queryKey[0] !== sessionKey[0])
        void queryClient.invalidateQueries({ queryKey: sessionKey });
      // The notice above every page appears without waiting for its next refresh.
      if (error instanceof ApiError && error.code === 'store_unavailable' && query.queryKey[0] !== 'status')
        void queryClient.invalidateQueries({ queryKey: ['status'] });
    },
  }),
  defaultOptions: {
    queries: {
      // A gateway on the same machine, or in a network of its own, answers while the browser calls itself offline.
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 3_000,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
    },
    mutations: { networkMode: 'always' },
  },
});
