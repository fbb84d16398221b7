import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { nonce } from './nonce.ts';
import { queryClient } from './query-client.ts';
import { colors, theme } from './theme.ts';

const colorScheme = localStorageColorSchemeManager({ key: 'callsmith-color-scheme' });

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
