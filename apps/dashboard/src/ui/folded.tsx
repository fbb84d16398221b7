import { Button, Collapse } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Fields that most leave as they are, behind a button. What was typed stays when they are closed. */
export function Folded({ title, children }: { title: string; children: ReactNode }) {
  const [open, { toggle }] = useDisclosure(false);
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
      <Collapse expanded={open} pt={open ? 'xs' : 0}>
        {children}
      </Collapse>
    </div>
  );
}
