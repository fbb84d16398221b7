import { Anchor, Group } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { Link } from 'react-router';

/** Leads from a page back to its list. */
export const BackTo = ({ to, name }: { to: string; name: string }) => (
  <Anchor component={Link} to={to} fz="sm" c="dimmed">
    <Group gap={2} component="span" display="inline-flex">
      <IconChevronLeft size={15} aria-hidden="true" /> {name}
    </Group>
  </Anchor>
);
