import { api, type SavedCase } from '@callsmith/contracts';
import { isObject, parseJson } from '@callsmith/turn';
import { MultiSelect, SegmentedControl, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { DeliveredChoice } from '../failures/delivered.tsx';
import { savedCasesQuery } from '../models/queries.ts';
import type { ColumnModel } from './column-fields.tsx';

type Kind = SavedCase['expects']['kind'];

const kinds: { readonly value: Kind; readonly label: string }[] = [
  { value: 'calls', label: 'Exactly these calls' },
  { value: 'tools', label: 'Valid calls of these tools' },
  { value: 'text', label: 'No call' },
];

/**
 * Saves a request as a case of a model's probes. What the answer must be is filled in from `answer`, the response that
 * the model gave; undefined: it gave none.
 */
export function SaveProbeCase({
  model,
  request,
  answer,
  onClose,
}: {
  model: ColumnModel;
  request: Readonly<Record<string, unknown>>;
  answer: DeliveredChoice | undefined;
  onClose: () => void;
}) {
  const called = (answer?.calls ?? []).map((call) => ({ name: call.name, arguments: parseJson(call.arguments) ?? {} }));
  const [kind, setKind] = useState<Kind>(called.length > 0 ? 'calls' : 'text');
  const tools = toolNames(request);
  const form = useApiForm({
    initialValues: {
      title: '',
      calls: JSON.stringify(called, null, 2),
      tools: [...new Set(called.map(({ name }) => name))].filter((name) => tools.includes(name)),
      text: [] as string[],
    },
    schema: api.probes.saveCase.body,
    bodyOf: ({ title, calls, tools: names, text }) => ({
      title,
      request,
      expects: { calls: { kind, calls: parseJson(calls) }, tools: { kind, names }, text: { kind, holds: text } }[kind],
    }),
    renamed: { expects: kind },
    messages: {
      title: 'Enter a title of up to 80 characters.',
      calls:
        'Enter a JSON array of calls, each with name and arguments: [{"name": "read", "arguments": {"path": "a"}}].',
      tools: 'Choose at least one tool.',
    },
    send: (body) => client.probes.saveCase({ params: { id: model.id }, body }),
    outdates: savedCasesQuery(model.id).queryKey,
    saved: ({ title }) => `Case ${title} saved. The next probe of ${model.name} sends it.`,
    onSaved: onClose,
  });
  return (
    <FormDialog form={form} title={`Save as probe case of ${model.name}`} action="Save" onClose={onClose}>
      <Text fz="sm" c="dimmed">
        Every probe of this model sends the case once with each strategy. Everyone who can sign in can read it; secrets
        are masked.
      </Text>
      <TextInput
        label="Title"
        placeholder="What the model should do"
        maxLength={80}
        data-autofocus
        {...form.getInputProps('title')}
      />
      <div>
        <Text fz="sm" fw={600} mb={4} id="right-answer">
          The right answer
        </Text>
        <SegmentedControl
          aria-labelledby="right-answer"
          orientation="vertical"
          value={kind}
          onChange={(value) => setKind(value as Kind)}
          data={kinds}
        />
      </div>
      {kind === 'calls' && (
        <Textarea
          label="Calls"
          description="In any order, with exactly these arguments. Filled in from the response: correct it where the model was wrong."
          classNames={{ input: 'mono' }}
          autosize
          minRows={4}
          maxRows={14}
          spellCheck={false}
          {...form.getInputProps('calls')}
        />
      )}
      {kind === 'tools' && (
        <MultiSelect
          label="Tools"
          description="One call of each, with any arguments that satisfy its schema."
          data={tools}
          searchable
          {...form.getInputProps('tools')}
        />
      )}
      {kind === 'text' && (
        <TagsInput
          label="The text contains"
          description="Words that must be in it, e.g. a file’s name; optional. Press Enter after each."
          {...form.getInputProps('text')}
        />
      )}
    </FormDialog>
  );
}

function toolNames({ tools }: Readonly<Record<string, unknown>>): string[] {
  const names = (Array.isArray(tools) ? tools : []).flatMap((tool: unknown) =>
    isObject(tool) && isObject(tool.function) && typeof tool.function.name === 'string' ? [tool.function.name] : [],
  );
  return [...new Set(names)];
}
