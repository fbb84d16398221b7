import { api, type Team, type User } from '@callsmith/contracts';
import { Button, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { useMe } from '../../lib/session.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { RoleAndTeam } from './role-and-team.tsx';

/** Changes a user's role or team, disables the user, or makes a link that sets a new password. */
export function UserForm({ user, teams, onClose }: { user: User; teams: readonly Team[]; onClose: () => void }) {
  const me = useMe();
  const queryClient = useQueryClient();
  const form = useForm({ role: user.role, teamId: user.teamId, disabled: user.disabledAt !== null });
  const save = useMutation({
    mutationFn: (body: Parameters<typeof client.users.change>[0]['body']) =>
      client.users.change({ params: { id: user.id }, body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['users'] });
      toast(`${user.email} saved.`);
      onClose();
    },
    onError: form.refuse,
  });
  const reset = useMutation({
    mutationFn: () => client.users.resetPassword({ params: { id: user.id } }),
    onError: form.refuse,
  });
  const submit = () => {
    const body = form.check(api.users.change.body, form.values);
    if (body) save.mutate(body);
  };
  return (
    <FormDialog
      title={user.email}
      action="Save"
      running={save.isPending}
      problem={form.problem}
      aside={
        <Button variant="default" onClick={() => reset.mutate()} loading={reset.isPending}>
          Create password link
        </Button>
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <RoleAndTeam
        role={form.values.role}
        teamId={form.values.teamId}
        teams={teams}
        errors={form.errors}
        onChange={form.set}
      />
      {user.id !== me.user.id && (
        <Switch
          label="Disabled"
          description="Cannot sign in; existing sessions end"
          checked={form.values.disabled}
          onChange={(event) => form.set({ disabled: event.currentTarget.checked })}
        />
      )}
      {reset.data && (
        <CopyField label="Link to set a new password; works once, within 72 hours" value={reset.data.link} />
      )}
    </FormDialog>
  );
}
