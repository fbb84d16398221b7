import { api, type Team } from '@callsmith/contracts';
import { Button } from '@mantine/core';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TeamFields, teamMessages } from './team-fields.tsx';

/** Renames a team, changes whether its bodies are stored, or leads to its deletion. */
export function TeamForm({ team, onClose }: { team: Team; onClose: () => void }) {
  const address = useAddress();
  const form = useApiForm({
    initialValues: { name: team.name, storesBodies: team.storesBodies },
    schema: api.teams.change.body,
    bodyOf: (values) => values,
    messages: teamMessages,
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
      <TeamFields form={form} />
    </FormDialog>
  );
}
