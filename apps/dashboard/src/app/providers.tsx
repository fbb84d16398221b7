import { ApiError } from '@callsmith/contracts';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionKey } from '../lib/session.ts';
import { nonce } from './nonce.ts';
import { colors, theme } from './theme.ts';

const colorScheme = localStorageColorSchemeManager({ key: 'callsmith-color-scheme' });

const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // The session ended: asking for it again leads to the sign-in page.
      if (error instanceof ApiError && error.status === 401 && query.queryKey[0] !== sessionKey[0])
        void queryClient.invalidateQueries({ queryKey: sessionKey });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 3_000,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

/** What every screen stands on: colours, server state, toasts. */
export const Providers = ({ children }: { children: ReactNode }) => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={colors}
    defaultColorScheme="auto"
    colorSchemeManager={colorScheme}
    getStyleNonce={nonce}
    deduplicateInlineStyles
  >
    <QueryClientProvider client={queryClient}>
      <Notifications position="bottom-right" limit={3} autoClose={6000} />
      {children}
    </QueryClientProvider>
  </MantineProvider>
);
