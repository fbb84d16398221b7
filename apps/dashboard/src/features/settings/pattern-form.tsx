import { api, type Pattern } from '@callsmith/contracts';
import { NumberInput, Select, Text, TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PatternTester, type PatternValues } from './pattern-tester.tsx';
import { followsNames } from './pattern-text.ts';
import { redactionQuery } from './queries.ts';

const kinds = Object.entries(followsNames).map(([value, label]) => ({ value, label }));

/** Adds a secret pattern to mask; a test text shows what it would do. */
export function PatternForm({ onClose }: { onClose: () => void }) {
  const form = useApiForm<PatternValues, typeof api.redaction.add.body, Pattern>({
    initialValues: { name: '', begins: '', follows: 'digits', atLeast: 6 },
    schema: api.redaction.add.body,
    bodyOf: (values) => values,
    send: (body) => client.redaction.add({ body }),
    outdates: redactionQuery.queryKey,
    saved: ({ name }) => `${name} is masked from now on.`,
    onSaved: onClose,
  });
  return (
    <FormDialog form={form} title="Add pattern" action="Add" onClose={onClose}>
      <Text fz="sm">
        Masks a fixed prefix and the characters that follow it. Regular expressions are not supported: a badly written
        one could stall the gateway. Stored data is not changed.
      </Text>
      <TextInput
        label="Name"
        description="For example: Staff IDs"
        {...form.getInputProps('name')}
        maxLength={60}
        data-autofocus
      />
      <TextInput
        label="Starts with"
        description="3 to 40 characters, case-sensitive. Do not enter a whole secret: admins can read this here and in the audit log."
        {...form.getInputProps('begins')}
        classNames={{ input: 'mono' }}
        autoComplete="off"
        spellCheck={false}
      />
      <Fields>
        <Select label="Followed by" data={kinds} {...form.getInputProps('follows')} allowDeselect={false} />
        {form.values.follows !== 'nothing' && (
          <NumberInput
            label="Minimum length"
            {...form.getInputProps('atLeast')}
            min={1}
            max={200}
            clampBehavior="none"
          />
        )}
      </Fields>
      <PatternTester values={form.values} />
    </FormDialog>
  );
}
