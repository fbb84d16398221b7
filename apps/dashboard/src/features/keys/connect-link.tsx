import type { Key } from '@callsmith/contracts';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { formatMoment } from '../../lib/format.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { LoopbackNote } from '../../ui/loopback-note.tsx';
import { Problem } from '../../ui/states.tsx';

/** Makes a link to the page of a key for its owner, who needs no account. */
export function ConnectLink({ of: key, onClose }: { of: Key; onClose: () => void }) {
  const make = useMutation({ mutationFn: () => client.connect.makeLink({ params: { id: key.id } }) });
  return (
    <Modal opened onClose={onClose} title={`Connect link for ${key.holder}`} size="lg">
      <Stack>
        {make.data ? (
          <>
            <Text>Send this link to the owner. It works once, until {formatMoment(make.data.expiresAt)}.</Text>
            <CopyField label="Connect link" value={make.data.link} />
            <LoopbackNote address={make.data.link} what="This link" />
          </>
        ) : (
          <Text>
            The link opens a page for <code>{key.hint}</code> only: limits, usage, its requests without their content,
            client setup, a test and rotation. It needs no account, works once within 24 hours, and replaces an unused
            link.
          </Text>
        )}
        {make.error && <Problem error={make.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant={make.data ? 'filled' : 'default'} onClick={onClose}>
            {make.data ? 'Done' : 'Cancel'}
          </Button>
          {!make.data && (
            <Button onClick={() => make.mutate()} loading={make.isPending} data-autofocus>
              Create link
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
