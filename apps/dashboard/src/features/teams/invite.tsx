import { api, type Role, type Team } from '@callsmith/contracts';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { RoleAndTeam } from './role-and-team.tsx';

/** Invites a user; the link is to be sent by whoever invites. */
export function Invite({ teams, onClose }: { teams: readonly Team[]; onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({ email: '', name: '', role: 'viewer' as Role, teamId: null as string | null });
  const invite = useMutation({
    mutationFn: (body: Parameters<typeof client.users.invite>[0]['body']) => client.users.invite({ body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['users'] }),
    onError: form.refuse,
  });
  if (invite.data)
    return (
      <Modal opened onClose={onClose} title={`Invitation for ${invite.data.user.email}`} size="lg">
        <Stack>
          <Text>Send this link to the user. It works once, within 72 hours, and lets them set a password.</Text>
          <CopyField label="Link" value={invite.data.link} />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    );
  const submit = () => {
    const body = form.check(api.users.invite.body, { ...form.values, name: form.values.name.trim() || null });
    if (body) invite.mutate(body);
  };
  return (
    <FormDialog
      title="Invite user"
      action="Create invite link"
      running={invite.isPending}
      problem={form.problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <Fields>
        <TextInput
          label="E-mail"
          type="email"
          value={form.values.email}
          onChange={(event) => form.set({ email: event.currentTarget.value })}
          error={form.errors.email}
          data-autofocus
        />
        <TextInput
          label="Name"
          value={form.values.name}
          onChange={(event) => form.set({ name: event.currentTarget.value })}
          error={form.errors.name}
        />
      </Fields>
      <RoleAndTeam
        role={form.values.role}
        teamId={form.values.teamId}
        teams={teams}
        errors={form.errors}
        onChange={form.set}
      />
    </FormDialog>
  );
}
