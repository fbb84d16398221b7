import type { Key } from '@callsmith/contracts';
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../lib/api.ts';
import { Problem } from '../../ui/states.tsx';
import { Issued } from './issued.tsx';

const graces = [
  { value: '0', label: 'immediately' },
  { value: '3600', label: 'in 1 hour' },
  { value: '86400', label: 'in 1 day' },
  { value: '604800', label: 'in 7 days' },
];

/** Issues a successor of a key; the old one works on for a while. */
export function Rotate({ of: key, onClose }: { of: Key; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [grace, setGrace] = useState('86400');
  const rotate = useMutation({
    mutationFn: () => client.keys.rotate({ params: { id: key.id }, body: { graceSeconds: Number(grace) } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (rotate.data) return <Issued of={rotate.data.key} secret={rotate.data.secret} onClose={onClose} />;
  return (
    <Modal opened onClose={onClose} title={`Rotate the key of ${key.holder}`}>
      <Stack>
        <Text>
          A new key with the same limits replaces <code>{key.hint}</code>.
        </Text>
        <Select
          label="Old key expires"
          data={graces}
          value={grace}
          onChange={(value) => setGrace(value ?? '86400')}
          allowDeselect={false}
        />
        {rotate.error && <Problem error={rotate.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => rotate.mutate()} loading={rotate.isPending}>
            Rotate
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
