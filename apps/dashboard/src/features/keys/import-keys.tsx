import { api, foreignKeys } from '@callsmith/contracts';
import { Alert, Button, Group, List, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { fieldNames, limitsBody, noLimits } from './limits.ts';
import { FoldedLimits } from './limits-fields.tsx';
import { TeamSelect } from './team-select.tsx';

type Imported = Awaited<ReturnType<typeof client.keys.importMany>>;

/** Takes over keys that were made elsewhere, so that their owners change nothing but the address. */
export function ImportKeys({ onClose }: { onClose: () => void }) {
  const form = useApiForm({
    initialValues: { teamId: '', keys: '', holder: '', ...noLimits },
    schema: api.keys.importMany.body,
    bodyOf: ({ keys, holder, ...values }) => ({
      teamId: values.teamId,
      keys: foreignKeys(keys, holder),
      ...limitsBody(values),
    }),
    renamed: fieldNames,
    messages: {
      keys: 'Enter 1 to 500 keys of 20 or more characters, or their SHA-256, each with an owner.',
    },
    send: (body) => client.keys.importMany({ body }),
    outdates: ['keys'],
  });
  if (form.reply) return <ImportedKeys of={form.reply} onClose={onClose} />;
  const count = foreignKeys(form.values.keys, '').length;
  return (
    <FormDialog
      form={form}
      title="Import keys"
      action={count === 0 ? 'Import keys' : `Import ${plural(count, 'key')}`}
      disabled={count === 0}
      onClose={onClose}
    >
      <Textarea
        label="Keys"
        description="One per line: the key or its SHA-256 (64 hex digits), then its owner. Only a hash is stored; the keys stay valid as they are."
        placeholder={'sk-…  Ann\n9f86d081…  Ben'}
        autosize
        minRows={5}
        maxRows={14}
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('keys')}
        data-autofocus
      />
      <Fields>
        <TextInput label="Owner of keys without one" {...form.getInputProps('holder')} />
        <TeamSelect form={form} />
      </Fields>
      <FoldedLimits form={form} title="Limits for each key" />
    </FormDialog>
  );
}

const ImportedKeys = ({ of: { imported, duplicates }, onClose }: { of: Imported; onClose: () => void }) => (
  <Modal opened onClose={onClose} title={`${plural(imported.length, 'key')} imported`} size="lg">
    <Stack>
      {duplicates.length > 0 && (
        <Alert color="yellow" variant="light" title={`${plural(duplicates.length, 'key')} left out`}>
          <List size="sm">
            {duplicates.map(({ at, holder, hint, reason }) => (
              <List.Item key={at}>
                {holder} <code>{hint}</code>: {reason === 'exists' ? 'exists already' : 'is in the list twice'}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {imported.length > 0 && <Text>They work immediately, with the address of this gateway.</Text>}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  </Modal>
);
