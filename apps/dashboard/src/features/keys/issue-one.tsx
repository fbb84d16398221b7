import { api } from '@callsmith/contracts';
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Issued } from './issued.tsx';
import { limitsBody, noLimits } from './limits.ts';
import { FoldedLimits } from './limits-fields.tsx';
import { TeamSelect } from './team-select.tsx';

/** Issues one key, then shows it once. */
export function IssueOne({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
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
    <FormDialog
      title="Create key"
      action="Create key"
      running={issue.isPending}
      problem={form.problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <Fields>
        <TextInput
          label="Owner"
          description="Person or service; no account needed"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={form.values.holder}
          onChange={(event) => form.set({ holder: event.currentTarget.value })}
          error={form.errors.holder && 'Enter an owner.'}
          data-autofocus
        />
        <TeamSelect value={form.values.teamId} onChange={(teamId) => form.set({ teamId })} error={form.errors.teamId} />
      </Fields>
      <FoldedLimits form={form} title="Limits" />
    </FormDialog>
  );
}
