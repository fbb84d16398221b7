import { api, type Key } from '@callsmith/contracts';
import { MultiSelect, Text } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { type LimitValues, limitsRenamed, noLimits } from './limits.ts';
import { type LimitPart, LimitsFields, limitParts } from './limits-fields.tsx';
import { changedBy, partsBody } from './many-limits.ts';

/** Gives several keys the same limits: those that are chosen, while the others of each key stay as they are. */
export function ManyForm({ keys, onClose }: { keys: readonly Key[]; onClose: () => void }) {
  const ids = keys.map(({ id }) => id);
  const form = useApiForm({
    initialValues: { parts: [] as LimitPart[], ...noLimits },
    schema: api.keys.changeMany.body,
    bodyOf: ({ parts, ...values }) => ({ ids, change: partsBody(values, parts) }),
    renamed: { ...limitsRenamed, change: 'parts' },
    messages: { parts: 'Choose what to change.' },
    send: (body) => client.keys.changeMany({ body }),
    outdates: ['keys'],
    saved: ({ changed }) => `${plural(changed.length, 'key')} changed. Takes effect with the next request.`,
    onSaved: onClose,
  });
  const { parts, ...values } = form.values;
  return (
    <FormDialog form={form} title={`Limits of ${plural(keys.length, 'key')}`} action="Change" onClose={onClose}>
      <MultiSelect
        label="What to change"
        description="The other limits of each key stay as they are"
        data={limitParts.map(({ part, label }) => ({ value: part, label }))}
        {...form.getInputProps('parts')}
        data-autofocus
      />
      <LimitsFields form={form as Parameters<typeof LimitsFields>[0]['form']} only={parts} />
      <Preview keys={keys} values={values} parts={parts} />
    </FormDialog>
  );
}

/** How many keys each of the chosen limits changes. */
function Preview({ keys, values, parts }: { keys: readonly Key[]; values: LimitValues; parts: readonly LimitPart[] }) {
  return limitParts
    .filter(({ part }) => parts.includes(part))
    .map(({ part, label }) => (
      <Text key={part} fz="sm" c="dimmed">
        {label}: changes {changedBy(keys, values, part)} of {plural(keys.length, 'key')}
      </Text>
    ));
}
