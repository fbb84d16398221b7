import { Box, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A page: its name in title bar and heading, its actions, its content. */
export const Page = ({
  title,
  subtitle,
  actions,
  before,
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  actions?: ReactNode;
  before?: ReactNode;
  children: ReactNode;
}) => (
  <Stack gap="lg">
    <title>{`${title} · Callsmith`}</title>
    <Box>
      {before}
      <Group justify="space-between" align="flex-end" gap="sm">
        <Box miw={0}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {subtitle && (
            <Text c="dimmed" component="div">
              {subtitle}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    </Box>
    {children}
  </Stack>
);
