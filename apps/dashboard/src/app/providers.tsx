import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { useToasted } from '../ui/toast.ts';
import { nonce } from './nonce.ts';
import { queryClient } from './query-client.ts';
import { colors, theme } from './theme.ts';

const colorScheme = localStorageColorSchemeManager({ key: 'callsmith-color-scheme' });

const Toasts = lazy(async () => ({ default: (await import('../ui/toasts.tsx')).Toasts }));

/** What every screen needs: colors, server state, toasts. */
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
      {children}
      <ToastsOnceNeeded />
    </QueryClientProvider>
  </MantineProvider>
);

function ToastsOnceNeeded() {
  if (!useToasted()) return null;
  return (
    <Suspense>
      <Toasts />
    </Suspense>
  );
}
