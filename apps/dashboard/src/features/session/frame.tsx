import { Box, Center, Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Wordmark } from '../../ui/brand.tsx';

/** The page for users who are not signed in: the product’s name and one card. */
export const Frame = ({ title, wide = false, children }: { title: string; wide?: boolean; children: ReactNode }) => (
  <Center component="main" mih="100dvh" p="md">
    <title>{`${title} · Callsmith`}</title>
    <Stack w="100%" maw={wide ? 760 : 380} gap="lg">
      <Box mx="auto">
        <Wordmark size={28} />
      </Box>
      <Paper withBorder p={{ base: 'lg', sm: 28 }} radius="lg" bg="var(--surface)">
        {children}
      </Paper>
    </Stack>
  </Center>
);
