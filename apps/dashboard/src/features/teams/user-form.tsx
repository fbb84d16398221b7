import { api, type Team, type User } from '@callsmith/contracts';
import { Button, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { useMe } from '../../lib/session.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LoopbackNote } from '../../ui/loopback-note.tsx';
import { RoleAndTeam } from './role-and-team.tsx';

/** Changes a user's role or team, disables or deletes the user, or makes a link that sets a new password. */
export function UserForm({ user, teams, onClose }: { user: User; teams: readonly Team[]; onClose: () => void }) {
  const me = useMe();
  const address = useAddress();
  const form = useApiForm({
    initialValues: { role: user.role, teamId: user.teamId, disabled: user.disabledAt !== null },
    schema: api.users.change.body,
    bodyOf: (values) => values,
    send: (body) => client.users.change({ params: { id: user.id }, body }),
    outdates: ['users'],
    saved: () => `${user.email} saved.`,
    onSaved: onClose,
  });
  const reset = useMutation({
    mutationFn: () => client.users.resetPassword({ params: { id: user.id } }),
    onError: form.refuse,
  });
  return (
    <FormDialog
      form={form}
      title={user.email}
      action="Save"
      aside={
        <>
          {user.id !== me.user.id && (
            <Button variant="default" onClick={() => address.set({ user: null, removeUser: user.id })}>
              Delete…
            </Button>
          )}
          <Button variant="default" onClick={() => reset.mutate()} loading={reset.isPending}>
            Create password link
          </Button>
        </>
      }
      onClose={onClose}
    >
      <RoleAndTeam form={form} teams={teams} />
      {user.id !== me.user.id && (
        <Switch
          label="Disabled"
          description="Cannot sign in; existing sessions end"
          {...form.getInputProps('disabled', { type: 'checkbox' })}
        />
      )}
      {reset.data && (
        <>
          <CopyField label="Link to set a new password; works once, within 72 hours" value={reset.data.link} />
          <LoopbackNote address={reset.data.link} what="This link" />
        </>
      )}
    </FormDialog>
  );
}
