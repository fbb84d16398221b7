import { api, type Key } from '@callsmith/contracts';
import { Select, Text } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { CreatedKey } from './created-key.tsx';

const graces = [
  { value: '0', label: 'immediately' },
  { value: '3600', label: 'in 1 hour' },
  { value: '86400', label: 'in 1 day' },
  { value: '604800', label: 'in 7 days' },
];

/** Creates a successor of a key; the old one stays active for a while. */
export function Rotate({ of: key, onClose }: { of: Key; onClose: () => void }) {
  const form = useApiForm({
    initialValues: { graceSeconds: '86400' },
    schema: api.keys.rotate.body,
    bodyOf: ({ graceSeconds }) => ({ graceSeconds: Number(graceSeconds) }),
    send: (body) => client.keys.rotate({ params: { id: key.id }, body }),
    outdates: ['keys'],
  });
  if (form.reply) return <CreatedKey of={form.reply.key} secret={form.reply.secret} onClose={onClose} />;
  return (
    <FormDialog form={form} title={`Rotate the key of ${key.holder}`} action="Rotate" onClose={onClose}>
      <Text>
        A new key with the same limits replaces <code>{key.hint}</code>.
      </Text>
      <Select label="Old key expires" data={graces} {...form.getInputProps('graceSeconds')} allowDeselect={false} />
    </FormDialog>
  );
}
