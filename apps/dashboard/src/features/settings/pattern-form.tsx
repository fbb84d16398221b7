import { api, type Pattern } from '@callsmith/contracts';
import { NumberInput, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { followsNames } from './pattern-words.ts';
import { redactionQuery, tryQuery } from './queries.ts';

type Values = Omit<Pattern, 'id' | 'atLeast'> & { atLeast: number | string };

const kinds = Object.entries(followsNames).map(([value, label]) => ({ value, label }));

/** Adds a form of secret to mask; a text shows at once what it would do. */
export function PatternForm({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm<Values>({ name: '', begins: '', follows: 'digits', atLeast: 6 });
  const { values, errors } = form;
  const add = useMutation({
    mutationFn: (body: Omit<Pattern, 'id'>) => client.redaction.add({ body }),
    onSuccess: async ({ name }) => {
      await queryClient.invalidateQueries({ queryKey: redactionQuery.queryKey });
      toast(`${name} is masked from now on.`);
      onClose();
    },
    onError: form.refuse,
  });
  const submit = () => {
    const body = form.check(api.redaction.add.body, values);
    if (body) add.mutate(body);
  };
  return (
    <FormDialog
      title="Add pattern"
      action="Add"
      running={add.isPending}
      problem={form.problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text fz="sm">
        Masks a fixed prefix and the characters that follow it. Regular expressions are not supported: a badly written
        one could stall the gateway. Data that is already stored is not changed.
      </Text>
      <TextInput
        label="Name"
        description="For example: Staff IDs"
        value={values.name}
        onChange={(event) => form.set({ name: event.currentTarget.value })}
        error={errors.name}
        maxLength={60}
        data-autofocus
      />
      <TextInput
        label="Begins with"
        description="3 to 40 characters, case-sensitive. Do not enter a whole secret: admins can read this here and in the audit log."
        value={values.begins}
        onChange={(event) => form.set({ begins: event.currentTarget.value })}
        error={errors.begins}
        classNames={{ input: 'mono' }}
        autoComplete="off"
        spellCheck={false}
      />
      <Fields>
        <Select
          label="Followed by"
          data={kinds}
          value={values.follows}
          onChange={(follows) => form.set({ follows: (follows ?? 'nothing') as Pattern['follows'] })}
          error={errors.follows}
          allowDeselect={false}
        />
        {values.follows !== 'nothing' && (
          <NumberInput
            label="Minimum length"
            value={values.atLeast}
            onChange={(atLeast) => form.set({ atLeast })}
            error={errors.atLeast}
            min={1}
            max={200}
            clampBehavior="none"
          />
        )}
      </Fields>
      <Tester values={values} />
    </FormDialog>
  );
}

/** Shows a text as it would be kept with the pattern as it stands in the form. */
function Tester({ values }: { values: Values }) {
  const [text, setText] = useState('');
  const [asked] = useDebouncedValue(text, 300);
  const [pattern] = useDebouncedValue(values, 300);
  const body = triedOf(asked, pattern);
  const tried = useQuery({ ...tryQuery(body), enabled: body.text !== '' });
  return (
    <>
      <Textarea
        label="Test text"
        description="This text is not stored."
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={10_000}
        autosize
        minRows={2}
        maxRows={6}
      />
      {text !== '' && (
        <div>
          <Text fz="sm" fw={500} id="tried-label">
            As it would be stored
          </Text>
          <Text
            component="output"
            display="block"
            className="mono"
            fz="sm"
            aria-labelledby="tried-label"
            style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          >
            {tried.isError ? tried.error.message : tried.data?.masked}
          </Text>
        </div>
      )}
    </>
  );
}

/** The pattern takes part once it is one; its name does not matter. */
function triedOf(text: string, values: Values) {
  const pattern = api.redaction.add.body.safeParse({ ...values, name: 'tried' });
  return { text, ...(pattern.success && { pattern: pattern.data }) };
}
