import { api, type Key } from '@callsmith/contracts';
import { MultiSelect, Text } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useMe } from '../../lib/session.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { type BulkField, type BulkValues, bulkBody, countChanged } from './bulk-change.ts';
import { fieldNames, noLimits } from './limits.ts';
import { LimitsFields, limitParts } from './limits-fields.tsx';
import { TeamSelect } from './team-select.tsx';

const keyParts = [...limitParts, { part: 'team', label: 'Team' }] as const;

/** Gives several keys the same limits or the same team: what is chosen, while the rest of each key stays as it is. */
export function BulkForm({ keys, onClose }: { keys: readonly Key[]; onClose: () => void }) {
  const { user } = useMe();
  const ids = keys.map(({ id }) => id);
  const form = useApiForm({
    initialValues: { parts: [] as BulkField[], teamId: '', ...noLimits },
    schema: api.keys.changeMany.body,
    bodyOf: ({ parts, ...values }) => ({ ids, change: bulkBody(values, parts) }),
    renamed: { ...fieldNames, change: 'parts' },
    messages: { parts: 'Choose what to change.' },
    send: (body) => client.keys.changeMany({ body }),
    outdates: ['keys'],
    saved: ({ changed }) => `${plural(changed.length, 'key')} changed. Takes effect with the next request.`,
    onSaved: onClose,
  });
  const { parts, ...values } = form.values;
  const offered = keyParts.filter(({ part }) => part !== 'team' || user.teamId === null);
  return (
    <FormDialog form={form} title={`Change ${plural(keys.length, 'key')}`} action="Change" onClose={onClose}>
      <MultiSelect
        label="What to change"
        description="Everything else stays unchanged"
        data={offered.map(({ part, label }) => ({ value: part, label }))}
        {...form.getInputProps('parts')}
        data-autofocus
      />
      <LimitsFields
        form={form as Parameters<typeof LimitsFields>[0]['form']}
        only={parts.filter((part) => part !== 'team')}
      />
      {parts.includes('team') && (
        <>
          <TeamSelect form={form as Parameters<typeof TeamSelect>[0]['form']} />
          <Text fz="sm" c="dimmed">
            The team’s budget, its MCP tools and whether it stores message content apply from the next request on.
            Earlier usage and records stay with the previous team.
          </Text>
        </>
      )}
      <Preview keys={keys} values={values} parts={parts} />
    </FormDialog>
  );
}

/** How many keys each of the chosen parts changes. */
function Preview({ keys, values, parts }: { keys: readonly Key[]; values: BulkValues; parts: readonly BulkField[] }) {
  return keyParts
    .filter(({ part }) => parts.includes(part))
    .map(({ part, label }) => (
      <Text key={part} fz="sm" c="dimmed">
        {label}: changes {countChanged(keys, values, part)} of {plural(keys.length, 'key')}
      </Text>
    ));
}
