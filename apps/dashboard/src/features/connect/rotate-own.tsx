import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../lib/api.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Problem } from '../../ui/states.tsx';

const graces = [
  { value: '0', label: 'immediately' },
  { value: '3600', label: 'in 1 hour' },
  { value: '86400', label: 'in 1 day' },
  { value: '604800', label: 'in 7 days' },
];

interface Given {
  /** What is shown of the key. */
  readonly hint: string;
  /** Called with the new secret, once it was made. */
  readonly onRotated: (secret: string) => void;
}

/** Lets the owner replace the key; the new one is shown once. */
export function RotateOwn({ hint, onRotated }: Given) {
  const [open, setOpen] = useState(false);
  const [grace, setGrace] = useState('86400');
  const rotate = useMutation({
    mutationFn: () => client.connect.rotate({ body: { graceSeconds: Number(grace) } }),
    onSuccess: ({ secret }) => onRotated(secret),
  });
  const close = () => {
    setOpen(false);
    rotate.reset();
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Rotate key…
      </Button>
      <Modal
        opened={open}
        onClose={close}
        title={rotate.data ? 'Your new API key' : 'Rotate your API key'}
        size="lg"
        closeOnClickOutside={!rotate.data}
        closeOnEscape={!rotate.data}
      >
        <Stack>
          {rotate.data ? (
            <>
              <Alert color="yellow" variant="light">
                Copy it now: only a hash is stored, so it cannot be shown again.
              </Alert>
              <CopyField label="New API key" value={rotate.data.secret} />
            </>
          ) : (
            <>
              <Text>
                A new key with the same limits replaces <code>{hint}</code>. Other browsers that show this page are
                disconnected; request lists and usage start over, budgets do not.
              </Text>
              <Select
                label="Old key expires"
                data={graces}
                value={grace}
                onChange={(value) => setGrace(value ?? '86400')}
                allowDeselect={false}
              />
              {rotate.error && <Problem error={rotate.error} />}
            </>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant={rotate.data ? 'filled' : 'default'} onClick={close}>
              {rotate.data ? 'Done, I have copied it' : 'Cancel'}
            </Button>
            {!rotate.data && (
              <Button onClick={() => rotate.mutate()} loading={rotate.isPending}>
                Rotate
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
