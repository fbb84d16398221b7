import { api } from '@callsmith/contracts';
import { Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** Adds a team. */
export function NewTeam({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({ name: '', storesBodies: true });
  const save = useMutation({
    mutationFn: (body: { name: string; storesBodies?: boolean | undefined }) => client.teams.create({ body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['teams'] });
      onClose();
    },
    onError: form.refuse,
  });
  const submit = () => {
    const body = form.check(api.teams.create.body, form.values);
    if (body) save.mutate(body);
  };
  return (
    <FormDialog
      title="Add team"
      action="Add"
      running={save.isPending}
      problem={form.problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        value={form.values.name}
        onChange={(event) => form.set({ name: event.currentTarget.value })}
        error={form.errors.name && 'Enter a name of up to 100 characters.'}
        data-autofocus
      />
      <Switch
        label="Store request and response bodies"
        description="Needed to inspect failures; turn off for teams whose messages must not be stored"
        checked={form.values.storesBodies}
        onChange={(event) => form.set({ storesBodies: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
