import { api, type InputOf, type Webhook } from '@callsmith/contracts';
import { Checkbox, Select, Text, TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.ts';
import { webhooksQuery } from './queries.ts';
import { ScopeFields } from './scope-fields.tsx';
import { TriggerFields } from './trigger-fields.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { bodyOf, valuesOf } from './webhook-values.ts';

type NewBody = InputOf<typeof api.webhooks.create>['body'];

/** Adds a webhook, or changes one. The secret of a new one is shown once. */
export function WebhookForm({ of: webhook, onClose }: { of?: Webhook; onClose: () => void }) {
  const form = useApiForm({
    initialValues: valuesOf(webhook),
    schema: webhook ? api.webhooks.change.body : api.webhooks.create.body,
    bodyOf: (values) => (webhook ? bodyOf(values) : { url: '', ...bodyOf(values) }),
    messages: { url: 'Enter the address.' },
    send: async (body) => {
      if (!webhook) {
        const { secret } = await client.webhooks.create({ body: body as NewBody });
        // Nobody else checks signatures.
        return (body.format ?? 'standard') === 'standard' ? secret : null;
      }
      await client.webhooks.change({ params: { id: webhook.id }, body });
      return null;
    },
    outdates: webhooksQuery.queryKey,
    onSaved(secret) {
      if (secret !== null) return;
      toast('Saved.');
      onClose();
    },
  });
  const mails = form.values.format === 'email';
  if (form.reply) return <WebhookSecret name={form.values.name} secret={form.reply} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={webhook ? `Edit ${webhook.name}` : 'Add webhook'}
      action={webhook ? 'Save' : 'Add'}
      onClose={onClose}
    >
      <TextInput label="Name" {...form.getInputProps('name')} data-autofocus />
      <Select label="Format" data={formats} allowDeselect={false} {...form.getInputProps('format')} />
      <TextInput
        label={mails ? 'E-mail address' : 'URL'}
        description={
          webhook
            ? `Currently ${webhook.origin}. Enter a new one to replace it.`
            : mails
              ? 'One address; for several people, use a mailing list.'
              : 'Stored encrypted; its path is not shown again.'
        }
        {...form.getInputProps('url')}
      />
      <TriggerFields form={form} />
      <Checkbox
        label="Weekly digest"
        description="A summary of the week, on Mondays from 8:00."
        {...form.getInputProps('weeklyDigest', { type: 'checkbox' })}
      />
      <ScopeFields form={form} />
      {form.errors.triggers && (
        <Text c="red" fz="sm">
          {form.errors.triggers}
        </Text>
      )}
    </FormDialog>
  );
}

const formats = [
  { value: 'standard', label: 'Standard Webhooks (signed JSON)' },
  { value: 'slack', label: 'Slack (also Mattermost, Rocket.Chat)' },
  { value: 'email', label: 'E-mail' },
];
