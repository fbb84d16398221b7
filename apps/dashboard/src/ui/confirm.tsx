import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Problem } from './states.tsx';

/** Asks before something that cannot be undone; stays open and says so where it does not work. */
export function Confirm({
  title,
  children,
  action,
  danger = false,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  action: string;
  danger?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const confirm = async () => {
    setRunning(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (problem) {
      setError(problem);
      setRunning(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={title} size="md">
      <Stack>
        <div>{children}</div>
        {error !== null && <Problem error={error} />}
        <Group justify="flex-end" gap="xs" mt="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button {...(danger ? { color: 'red' } : {})} loading={running} onClick={() => void confirm()} data-autofocus>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
