import { api, type Key } from '@callsmith/contracts';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { Problem } from '../../ui/states.tsx';
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
    <Modal opened onClose={onClose} title={`Key of ${key.holder}`} size="lg">
      <form action={submit} noValidate>
        <Stack>
          <TextInput
            label="Holder"
            value={form.values.holder}
            onChange={(event) => form.set({ holder: event.currentTarget.value })}
            error={form.errors.holder && 'Who uses it?'}
          />
          <LimitsFields form={form} />
          {form.problem && <Problem error={form.problem} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
