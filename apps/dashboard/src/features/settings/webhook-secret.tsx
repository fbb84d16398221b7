import { Button, Modal, Stack, Text } from '@mantine/core';
import { CopyField } from '../../ui/copy-field.tsx';

/** The secret of a new webhook, shown this once. */
export const WebhookSecret = ({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) => (
  <Modal opened onClose={onClose} title={`${name} added`} size="lg">
    <Stack>
      <Text>
        Messages are signed according to Standard Webhooks. The receiver verifies them with this secret, which is not
        shown again:
      </Text>
      <CopyField label="Secret" value={secret} />
      <Button onClick={onClose} style={{ alignSelf: 'flex-end' }} data-autofocus>
        Done
      </Button>
    </Stack>
  </Modal>
);
