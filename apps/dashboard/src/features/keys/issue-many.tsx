import { api } from '@callsmith/contracts';
import { Alert, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { plural } from '../../lib/format.ts';
import { Copy, CopyField } from '../../ui/copy-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { limitsBody, noLimits } from './limits.ts';
import { FoldedLimits } from './limits-fields.tsx';
import { TeamSelect } from './team-select.tsx';

type Links = Awaited<ReturnType<typeof client.keys.issueMany>>['issued'];

/** Issues a key each for several people; every one gets a one-time link. */
export function IssueMany({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({ teamId: '', holders: '', ...noLimits });
  const holders = form.values.holders
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const issue = useMutation({
    mutationFn: (body: Parameters<typeof client.keys.issueMany>[0]['body']) => client.keys.issueMany({ body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys'] }),
    onError: form.refuse,
  });
  if (issue.data) return <IssuedLinks links={issue.data.issued} onClose={onClose} />;
  const submit = () => {
    const body = form.check(api.keys.issueMany.body, {
      teamId: form.values.teamId,
      holders,
      ...limitsBody(form.values),
    });
    if (body) issue.mutate(body);
  };
  return (
    <FormDialog
      title="Create several keys"
      action={holders.length === 0 ? 'Create keys' : `Create ${plural(holders.length, 'key')}`}
      running={issue.isPending}
      disabled={holders.length === 0}
      problem={form.problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <Textarea
        label="Owners"
        description="One per line. Each owner gets a link that shows the key and setup instructions once, within 72 hours."
        autosize
        minRows={5}
        maxRows={14}
        value={form.values.holders}
        onChange={(event) => form.set({ holders: event.currentTarget.value })}
        error={form.errors.holders && 'Enter 1 to 200 names.'}
        data-autofocus
      />
      <TeamSelect value={form.values.teamId} onChange={(teamId) => form.set({ teamId })} error={form.errors.teamId} />
      <FoldedLimits form={form} title="Limits for each key" />
    </FormDialog>
  );
}

const IssuedLinks = ({ links, onClose }: { links: Links; onClose: () => void }) => (
  <Modal
    opened
    onClose={onClose}
    title={`${plural(links.length, 'key')} created`}
    size="lg"
    closeOnClickOutside={false}
    closeOnEscape={false}
  >
    <Stack>
      <Alert color="yellow" variant="light">
        Send each link to its owner now: the links are not stored. Each works once, within 72 hours.
      </Alert>
      {links.map(({ key, link }) => (
        <CopyField key={key.id} label={key.holder} value={link} />
      ))}
      <Group justify="space-between">
        <Group gap={4}>
          <Copy label="all names and links" value={links.map(({ key, link }) => `${key.holder}\t${link}`).join('\n')} />
          <Text fz="sm">Copy all</Text>
        </Group>
        <Button onClick={onClose}>Done, I have sent them</Button>
      </Group>
    </Stack>
  </Modal>
);
