import { type AskOf, api, type Webhook } from '@callsmith/contracts';
import { Select, Text, TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.ts';
import { webhooksQuery } from './queries.ts';
import { ScopeFields } from './scope-fields.tsx';
import { TriggerFields } from './trigger-fields.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { bodyOf, valuesOf } from './webhook-values.ts';

type NewBody = AskOf<typeof api.webhooks.create>['body'];

/** Adds a webhook, or changes one. The secret of a new one is shown once. */
export function WebhookForm({ of: webhook, onClose }: { of?: Webhook; onClose: () => void }) {
  const form = useApiForm({
    initialValues: valuesOf(webhook),
    schema: webhook ? api.webhooks.change.body : api.webhooks.create.body,
    bodyOf: (values) => (webhook ? bodyOf(values) : { url: '', ...bodyOf(values) }),
    messages: { url: 'Enter a URL.' },
    send: async (body) => {
      if (!webhook) {
        const { secret } = await client.webhooks.create({ body: body as NewBody });
        // Slack checks no signature.
        return body.format === 'slack' ? null : secret;
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
  if (form.reply) return <WebhookSecret name={form.values.name} secret={form.reply} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={webhook ? `Edit ${webhook.name}` : 'Add webhook'}
      action={webhook ? 'Save' : 'Add'}
      onClose={onClose}
    >
      <TextInput label="Name" {...form.getInputProps('name')} data-autofocus />
      <TextInput
        label="URL"
        description={
          webhook
            ? `Currently ${webhook.origin}. Enter a new URL to replace it.`
            : 'Stored encrypted; its path is not shown again.'
        }
        {...form.getInputProps('url')}
      />
      <Select label="Format" data={formats} allowDeselect={false} {...form.getInputProps('format')} />
      <TriggerFields form={form} />
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
];
