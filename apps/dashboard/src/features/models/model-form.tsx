import { api, type Model } from '@callsmith/contracts';
import { NumberInput, TagsInput, TextInput } from '@mantine/core';
import { useNavigate } from 'react-router';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { RouteFields } from './route-fields.tsx';
import { type RouteValues, routesOf } from './route-values.ts';

interface Values {
  readonly name: string;
  readonly aliases: string[];
  readonly routes: readonly RouteValues[];
  readonly contextLength: number | string;
}

/** Adds a model by hand: one that its upstreams do not list, or under a name of one's own. */
export function ModelForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const form = useApiForm<Values, typeof api.models.create.body, Model>({
    initialValues: { name: '', aliases: [], routes: [], contextLength: '' },
    schema: api.models.create.body,
    bodyOf: (values) => ({
      name: values.name,
      aliases: values.aliases,
      routes: routesOf(values.routes),
      contextLength: values.contextLength === '' ? null : Number(values.contextLength),
    }),
    renamed: { routes: 'routes', aliases: 'aliases' },
    messages: { name: 'Enter a name of up to 500 characters.' },
    send: (body) => client.models.create({ body }),
    outdates: ['models'],
    saved: ({ name }) => `${name} is available.`,
    onSaved: ({ id }) => void navigate(`/models/${encodeURIComponent(id)}`, { replace: true }),
  });
  return (
    <FormDialog form={form} title="Add model" action="Add" onClose={onClose}>
      <TextInput
        label="Name"
        description="The model name that clients send; may contain slashes"
        {...form.getInputProps('name')}
        data-autofocus
      />
      <RouteFields
        routes={form.values.routes}
        onChange={(routes) => form.setFieldValue('routes', routes)}
        error={form.errors.routes}
      />
      <TagsInput
        label="Aliases"
        description="Other names that clients can send for this model"
        {...form.getInputProps('aliases')}
      />
      <NumberInput
        label="Context (tokens)"
        description="If empty: unknown"
        {...form.getInputProps('contextLength')}
        min={1}
        thousandSeparator=" "
      />
    </FormDialog>
  );
}
