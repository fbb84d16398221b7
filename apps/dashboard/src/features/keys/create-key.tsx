import { api } from '@callsmith/contracts';
import { TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { CreatedKey } from './created-key.tsx';
import { fieldNames, limitsBody, noLimits } from './limits.ts';
import { FoldedLimits } from './limits-fields.tsx';
import { TeamSelect } from './team-select.tsx';

/** Creates one key, then shows it once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const form = useApiForm({
    initialValues: { teamId: '', holder: '', ...noLimits },
    schema: api.keys.issue.body,
    bodyOf: (values) => ({ teamId: values.teamId, holder: values.holder, ...limitsBody(values) }),
    renamed: fieldNames,
    messages: { holder: 'Enter an owner.' },
    send: (body) => client.keys.issue({ body }),
    outdates: ['keys'],
  });
  if (form.reply) return <CreatedKey of={form.reply.key} secret={form.reply.secret} onClose={onClose} />;
  return (
    <FormDialog form={form} title="Create key" action="Create key" onClose={onClose}>
      <Fields>
        <TextInput
          label="Owner"
          description="Person or service; no account needed"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('holder')}
          data-autofocus
        />
        <TeamSelect form={form} />
      </Fields>
      <FoldedLimits form={form} title="Limits" />
    </FormDialog>
  );
}
