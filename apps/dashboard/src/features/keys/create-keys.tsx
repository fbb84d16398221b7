import { api } from '@callsmith/contracts';
import { Alert, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { Copy, CopyField } from '../../ui/copy-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LoopbackNote } from '../../ui/loopback-note.tsx';
import { fieldNames, limitsBody, noLimits } from './limits.ts';
import { FoldedLimits } from './limits-fields.tsx';
import { TeamSelect } from './team-select.tsx';

type Links = Awaited<ReturnType<typeof client.keys.issueMany>>['issued'];

/** Creates a key for each of several owners; every one gets a one-time link. */
export function CreateKeys({ onClose }: { onClose: () => void }) {
  const form = useApiForm({
    initialValues: { teamId: '', holders: '', ...noLimits },
    schema: api.keys.issueMany.body,
    bodyOf: (values) => ({ teamId: values.teamId, holders: linesOf(values.holders), ...limitsBody(values) }),
    renamed: fieldNames,
    messages: { holders: 'Enter 1 to 200 names of up to 200 characters.' },
    send: (body) => client.keys.issueMany({ body }),
    outdates: ['keys'],
  });
  if (form.reply) return <IssuedLinks links={form.reply.issued} onClose={onClose} />;
  const count = linesOf(form.values.holders).length;
  return (
    <FormDialog
      form={form}
      title="Create several keys"
      action={count === 0 ? 'Create keys' : `Create ${plural(count, 'key')}`}
      disabled={count === 0}
      onClose={onClose}
    >
      <Textarea
        label="Owners"
        description="One per line. Each owner gets a link that shows the key and setup instructions once, within 72 hours."
        autosize
        minRows={5}
        maxRows={14}
        {...form.getInputProps('holders')}
        data-autofocus
      />
      <TeamSelect form={form} />
      <FoldedLimits form={form} title="Limits for each key" />
    </FormDialog>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

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
      {links[0] && <LoopbackNote address={links[0].link} what="Each link" />}
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
