import { Box, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import css from './card.module.css';

/**
 * A section with a heading; `flush` where its content goes to the edges, as tables do; `untitled` where the page's own
 * heading says what it is.
 */
export const Card = ({
  title,
  subtitle,
  aside,
  flush = false,
  untitled = false,
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  aside?: ReactNode;
  flush?: boolean;
  untitled?: boolean;
  children: ReactNode;
}) => (
  <section className={`${css.card} ${flush ? css.flush : ''}`} aria-label={title}>
    {!untitled && (
      <div className={css.head}>
        <Box flex="1 1 12rem" miw={0}>
          <Title order={2}>{title}</Title>
          {subtitle && (
            <Text c="dimmed" fz="sm" component="div">
              {subtitle}
            </Text>
          )}
        </Box>
        {aside && <Group gap="xs">{aside}</Group>}
      </div>
    )}
    <div className={css.body}>{children}</div>
  </section>
);
