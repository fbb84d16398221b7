import { api } from '@callsmith/contracts';
import { Switch, TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** Adds a team. */
export function NewTeam({ onClose }: { onClose: () => void }) {
  const form = useApiForm({
    initialValues: { name: '', storesBodies: true },
    schema: api.teams.create.body,
    bodyOf: (values) => values,
    messages: { name: 'Enter a name of up to 100 characters.' },
    send: (body) => client.teams.create({ body }),
    outdates: ['teams'],
    saved: ({ name }) => `${name} added.`,
    onSaved: onClose,
  });
  return (
    <FormDialog form={form} title="Add team" action="Add" onClose={onClose}>
      <TextInput label="Name" {...form.getInputProps('name')} data-autofocus />
      <Switch
        label="Store request and response bodies"
        description="Needed to inspect failures; turn off for teams whose messages must not be stored"
        {...form.getInputProps('storesBodies', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}
