import { api } from '@callsmith/contracts';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TeamFields, teamMessages } from './team-fields.tsx';

/** Adds a team. */
export function NewTeam({ onClose }: { onClose: () => void }) {
  const form = useApiForm({
    initialValues: { name: '', storesBodies: true },
    schema: api.teams.create.body,
    bodyOf: (values) => values,
    messages: teamMessages,
    send: (body) => client.teams.create({ body }),
    outdates: ['teams'],
    saved: ({ name }) => `${name} added.`,
    onSaved: onClose,
  });
  return (
    <FormDialog form={form} title="Add team" action="Add" onClose={onClose}>
      <TeamFields form={form} />
    </FormDialog>
  );
}
