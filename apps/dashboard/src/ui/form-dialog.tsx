import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from './states.tsx';

interface Given {
  readonly title: string;
  /** What the button that sends the form says. */
  readonly action: string;
  readonly running: boolean;
  readonly disabled?: boolean;
  /** What was wrong with the form as a whole. */
  readonly problem: Error | null;
  /** Stands beside the buttons. */
  readonly aside?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog: its fields, what was wrong with it, the way out and the way on. */
export const FormDialog = ({ title, problem, onClose, onSubmit, children, ...given }: Given) => (
  <Modal opened onClose={onClose} title={title} size="lg">
    <form action={onSubmit} noValidate>
      <Stack>
        {children}
        {problem && <Problem error={problem} />}
        <Group mt="xs">
          {given.aside}
          <Group gap="xs" ml="auto">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={given.running} disabled={given.disabled ?? false}>
              {given.action}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  </Modal>
);
