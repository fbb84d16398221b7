import { api, type Webhook } from '@callsmith/contracts';
import { Box, Button, Checkbox, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { webhooksQuery } from './queries.ts';
import { bodyOf, type TriggerValues, valuesOf } from './webhook-values.ts';

/** Adds a webhook, or changes one. The secret of a new one is shown once. */
export function WebhookForm({ of: webhook, onClose }: { of?: Webhook; onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm(valuesOf(webhook));
  const { values } = form;
  const save = useMutation({
    mutationFn: async (body: ReturnType<typeof bodyOf>) => {
      if (!webhook) return (await client.webhooks.create({ body: { ...body, url: values.url } })).secret;
      await client.webhooks.change({ params: { id: webhook.id }, body });
      return null;
    },
    onSuccess: async (secret) => {
      await queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey });
      if (secret !== null) return;
      toast('Saved.');
      onClose();
    },
    onError: form.refuse,
  });
  const submit = () => {
    const body = bodyOf(values);
    if (
      form.check(webhook ? api.webhooks.change.body : api.webhooks.create.body, webhook ? body : { url: '', ...body })
    )
      save.mutate(body);
  };
  if (save.data)
    return (
      <Modal opened onClose={onClose} title={`${values.name} added`} size="lg">
        <Stack>
          <Text>
            Messages are signed according to Standard Webhooks. The receiver verifies them with this secret, which is
            not shown again:
          </Text>
          <CopyField label="Secret" value={save.data} />
          <Button onClick={onClose} style={{ alignSelf: 'flex-end' }} data-autofocus>
            Done
          </Button>
        </Stack>
      </Modal>
    );
  const tick = (name: 'failing' | 'down' | 'lost' | 'spent', label: string) => (
    <Checkbox
      label={label}
      checked={values[name]}
      onChange={(event) => form.set({ [name]: event.currentTarget.checked })}
    />
  );
  const number = (name: keyof TriggerValues, label: string, bounds: { min: number; max: number; suffix: string }) => (
    <NumberInput
      size="xs"
      label={label}
      value={values[name]}
      onChange={(value) => form.set({ [name]: value })}
      clampBehavior="strict"
      {...bounds}
    />
  );
  return (
    <FormDialog
      title={webhook ? `Edit ${webhook.name}` : 'Add webhook'}
      action={webhook ? 'Save' : 'Add'}
      running={save.isPending}
      problem={form.problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        value={values.name}
        onChange={(event) => form.set({ name: event.currentTarget.value })}
        error={form.errors.name}
        data-autofocus
      />
      <TextInput
        label="URL"
        description={
          webhook
            ? `Currently ${webhook.origin}. Enter a new URL to replace it.`
            : 'Stored encrypted; its path is not shown again.'
        }
        value={values.url}
        onChange={(event) => form.set({ url: event.currentTarget.value })}
        error={form.errors.url}
      />
      {tick('failing', 'Tool-call failure rate')}
      {values.failing && (
        <Box pl="xl">
          <Fields>
            {number('failedShare', 'Threshold', { min: 1, max: 100, suffix: ' %' })}
            {number('failedMinutes', 'Over the last', { min: 5, max: 1440, suffix: ' min' })}
            {number('failedCalls', 'Minimum requests', { min: 1, max: 1_000_000, suffix: '' })}
          </Fields>
        </Box>
      )}
      {tick('down', 'Upstream unreachable')}
      {values.down && (
        <Group pl="xl">{number('downMinutes', 'For at least', { min: 1, max: 1440, suffix: ' min' })}</Group>
      )}
      {tick('spent', 'Budget nearly spent')}
      {values.spent && <Group pl="xl">{number('spentShare', 'At', { min: 1, max: 100, suffix: ' %' })}</Group>}
      {tick('lost', 'Requests could not be recorded')}
      {form.errors.triggers && (
        <Text c="red" fz="sm">
          {form.errors.triggers}
        </Text>
      )}
    </FormDialog>
  );
}
