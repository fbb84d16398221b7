import { api, type Team } from '@callsmith/contracts';
import { Button, Switch, TextInput } from '@mantine/core';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** Renames a team, changes whether its bodies are stored, or leads to its deletion. */
export function TeamForm({ team, onClose }: { team: Team; onClose: () => void }) {
  const address = useAddress();
  const form = useApiForm({
    initialValues: { name: team.name, storesBodies: team.storesBodies },
    schema: api.teams.change.body,
    bodyOf: (values) => values,
    messages: { name: 'Enter a name of up to 100 characters.' },
    send: (body) => client.teams.change({ params: { id: team.id }, body }),
    outdates: ['teams'],
    saved: ({ name }) => `${name} saved.`,
    onSaved: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={team.name}
      action="Save"
      aside={
        !team.demo && (
          <Button variant="default" onClick={() => address.set({ editTeam: null, removeTeam: team.id })}>
            Delete…
          </Button>
        )
      }
      onClose={onClose}
    >
      <TextInput label="Name" {...form.getInputProps('name')} data-autofocus />
      <Switch
        label="Store request and response bodies"
        description="Needed to inspect failures; turn off for teams whose messages must not be stored"
        {...form.getInputProps('storesBodies', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}
