import { api, type Key } from '@callsmith/contracts';
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { limitsBody, limitsOf } from './limits.ts';
import { LimitsFields } from './limits-fields.tsx';

/** Changes holder and limits of a key. */
export function LimitsForm({ of: key, onClose }: { of: Key; onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({ holder: key.holder, ...limitsOf(key) });
  const save = useMutation({
    mutationFn: (body: Parameters<typeof client.keys.change>[0]['body']) =>
      client.keys.change({ params: { id: key.id }, body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['keys'] });
      toast('Saved. Takes effect on the next request.');
      onClose();
    },
    onError: form.refuse,
  });
  const submit = () => {
    const body = form.check(api.keys.change.body, { holder: form.values.holder, ...limitsBody(form.values) });
    if (body) save.mutate(body);
  };
  return (
    <FormDialog
      title={`Key of ${key.holder}`}
      action="Save"
      running={save.isPending}
      problem={form.problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Owner"
        value={form.values.holder}
        onChange={(event) => form.set({ holder: event.currentTarget.value })}
        error={form.errors.holder && 'Enter an owner.'}
        data-autofocus
      />
      <LimitsFields form={form} />
    </FormDialog>
  );
}
