import { api, type Key } from '@callsmith/contracts';
import { TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { fieldNames, limitsBody, limitsOf } from './limits.ts';
import { LimitsFields } from './limits-fields.tsx';

/** Changes owner and limits of a key. */
export function LimitsForm({ of: key, onClose }: { of: Key; onClose: () => void }) {
  const form = useApiForm({
    initialValues: { holder: key.holder, ...limitsOf(key) },
    schema: api.keys.change.body,
    bodyOf: (values) => ({ holder: values.holder, ...limitsBody(values) }),
    renamed: fieldNames,
    messages: { holder: 'Enter an owner.' },
    send: (body) => client.keys.change({ params: { id: key.id }, body }),
    outdates: ['keys'],
    saved: () => 'Saved. Takes effect with the next request.',
    onSaved: onClose,
  });
  return (
    <FormDialog form={form} title={`Key of ${key.holder}`} action="Save" onClose={onClose}>
      <TextInput label="Owner" {...form.getInputProps('holder')} data-autofocus />
      <LimitsFields form={form} />
    </FormDialog>
  );
}
