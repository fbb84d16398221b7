import { Button, Collapse } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/**
 * Fields that are rarely changed, behind a button; open if one of them was refused. They keep their values while
 * closed. `onOpen`: fetches what it shows.
 */
export function Folded({
  title,
  refused,
  onOpen,
  children,
}: {
  title: string;
  refused: boolean;
  onOpen?: () => void;
  children: ReactNode;
}) {
  const [opened, { toggle }] = useDisclosure(false, { ...(onOpen && { onOpen }) });
  const open = opened || refused;
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <Button
        variant="transparent"
        size="xs"
        px={0}
        leftSection={<Icon size={15} aria-hidden="true" />}
        onClick={toggle}
        aria-expanded={open}
      >
        {title}
      </Button>
      <Collapse expanded={open} transitionDuration={0} pt={open ? 'xs' : 0}>
        {children}
      </Collapse>
    </div>
  );
}
