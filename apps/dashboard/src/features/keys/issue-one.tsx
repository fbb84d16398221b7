import { api } from '@callsmith/contracts';
import { Button, Collapse, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { Problem } from '../../ui/states.tsx';
import { Issued } from './issued.tsx';
import { limitsBody, noLimits } from './limits.ts';
import { LimitsFields } from './limits-fields.tsx';
import { TeamSelect } from './team-select.tsx';

/** Issues one key, then shows it once. */
export function IssueOne({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const [limited, { toggle }] = useDisclosure(false);
  const form = useForm({ teamId: '', holder: '', ...noLimits });
  const issue = useMutation({
    mutationFn: (body: Parameters<typeof client.keys.issue>[0]['body']) => client.keys.issue({ body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys'] }),
    onError: form.refuse,
  });
  if (issue.data) return <Issued of={issue.data.key} secret={issue.data.secret} onClose={onClose} />;
  const submit = () => {
    const { teamId, holder } = form.values;
    const body = form.check(api.keys.issue.body, { teamId, holder, ...limitsBody(form.values) });
    if (body) issue.mutate(body);
  };
  return (
    <Modal opened onClose={onClose} title="Issue a key" size="lg">
      <form action={submit} noValidate>
        <Stack>
          <Group grow align="flex-start">
            <TextInput
              label="Holder"
              description="Who uses it; needs no account"
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={form.values.holder}
              onChange={(event) => form.set({ holder: event.currentTarget.value })}
              error={form.errors.holder && 'Who will use it?'}
              data-autofocus
            />
            <TeamSelect
              value={form.values.teamId}
              onChange={(teamId) => form.set({ teamId })}
              error={form.errors.teamId}
            />
          </Group>
          <Button
            variant="subtle"
            size="xs"
            onClick={toggle}
            aria-expanded={limited}
            style={{ alignSelf: 'flex-start' }}
          >
            {limited ? 'Without limits' : 'Limits…'}
          </Button>
          <Collapse expanded={limited}>
            <LimitsFields form={form} />
          </Collapse>
          {form.problem && <Problem error={form.problem} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={issue.isPending}>
              Issue the key
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
