import { api } from '@callsmith/contracts';
import { NumberInput, TagsInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { RouteFields, type RouteValues, routesOf } from './route-fields.tsx';

interface Values {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly routes: readonly RouteValues[];
  readonly contextLength: number | string;
}

/** Adds a model by hand: one that its upstreams do not list, or under a name of one's own. */
export function ModelForm({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const form = useForm<Values>({ name: '', aliases: [], routes: [], contextLength: '' });
  const { values, errors } = form;
  const save = useMutation({
    mutationFn: (body: Parameters<typeof client.models.create>[0]['body']) => client.models.create({ body }),
    onSuccess: async ({ id, name }) => {
      await queryClient.invalidateQueries({ queryKey: ['models'] });
      toast(`${name} is available.`);
      void navigate(`/models/${encodeURIComponent(id)}`);
    },
    onError: form.refuse,
  });
  const submit = () => {
    const body = form.check(api.models.create.body, {
      name: values.name,
      aliases: [...values.aliases],
      routes: routesOf(values.routes),
      contextLength: values.contextLength === '' ? null : Number(values.contextLength),
    });
    if (body) save.mutate(body);
  };
  return (
    <FormDialog
      title="Add model"
      action="Add"
      running={save.isPending}
      problem={form.problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="The model name that clients send; may contain slashes"
        value={values.name}
        onChange={(event) => form.set({ name: event.currentTarget.value })}
        error={errors.name}
        data-autofocus
      />
      <RouteFields routes={values.routes} onChange={(routes) => form.set({ routes })} error={errors.routes} />
      <TagsInput
        label="Aliases"
        description="Other names that clients can send for this model"
        value={[...values.aliases]}
        onChange={(aliases) => form.set({ aliases })}
        error={errors.aliases}
      />
      <NumberInput
        label="Context (tokens)"
        description="If empty: unknown"
        value={values.contextLength}
        onChange={(contextLength) => form.set({ contextLength })}
        error={errors.contextLength}
        min={1}
        thousandSeparator=" "
      />
    </FormDialog>
  );
}
