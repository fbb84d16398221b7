import type { Key } from '@callsmith/contracts';
import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../lib/session.ts';
import { ClientSetup } from '../../ui/client-setup.tsx';
import { retentionNote } from '../../ui/retention-note.ts';
import { modelNamesQuery } from './queries.ts';

/** A new key, shown this once, and how to set a client up with it. A click beside the dialog does not close it. */
export function CreatedKey({ of: key, secret, onClose }: { of: Key; secret: string; onClose: () => void }) {
  const { installation } = useMe();
  const models = useQuery(modelNamesQuery);
  // Demo models last, since clients are set up with the first model.
  const allowed = (models.data?.items ?? [])
    .filter(({ name }) => key.allowedModels === null || key.allowedModels.includes(name))
    .sort((a, b) => Number(a.demo) - Number(b.demo));
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Key for ${key.holder}`}
      size="xl"
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow" variant="light">
          Copy it now: only a hash is stored, so it cannot be shown again.
        </Alert>
        {models.isFetched && (
          <ClientSetup
            secret={secret}
            baseUrl={installation.publicUrl}
            models={allowed.map(({ name, contextLength }) => ({ name, contextLength: contextLength?.value ?? null }))}
            kept={retentionNote(key, installation.bodyRetentionDays)}
          />
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done, I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
