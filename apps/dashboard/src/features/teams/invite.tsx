import { api, type Role, type Team } from '@callsmith/contracts';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LoopbackNote } from '../../ui/loopback-note.tsx';
import { RoleAndTeam } from './role-and-team.tsx';

/** Invites a user; the inviter passes the link on. */
export function Invite({ teams, onClose }: { teams: readonly Team[]; onClose: () => void }) {
  const form = useApiForm({
    initialValues: { email: '', name: '', role: 'viewer' as Role, teamId: null as string | null },
    schema: api.users.invite.body,
    bodyOf: (values) => ({ ...values, name: values.name.trim() || null }),
    send: (body) => client.users.invite({ body }),
    outdates: ['users'],
  });
  if (form.reply)
    return (
      <Modal opened onClose={onClose} title={`Invitation for ${form.reply.user.email}`} size="lg">
        <Stack>
          <Text>Send this link to the user. It works once, within 72 hours, and lets them set a password.</Text>
          <CopyField label="Link" value={form.reply.link} />
          <LoopbackNote address={form.reply.link} what="This link" />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    );
  return (
    <FormDialog form={form} title="Invite user" action="Create invite link" onClose={onClose}>
      <Fields>
        <TextInput label="E-mail" type="email" {...form.getInputProps('email')} data-autofocus />
        <TextInput label="Name" {...form.getInputProps('name')} />
      </Fields>
      <RoleAndTeam form={form} teams={teams} />
    </FormDialog>
  );
}
