import { api } from '@callsmith/contracts';
import { Button, NumberInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { Fields } from '../../ui/fields.tsx';
import { Problem } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Settings, settingsQuery } from './queries.ts';

/** Changes sampling and retention. */
export function SettingsForm({ settings }: { settings: Settings }) {
  const queryClient = useQueryClient();
  const form = useForm<Record<keyof Settings, number | string>>({
    ...settings,
    cleanShare: Math.round(settings.cleanShare * 1000) / 10,
  });
  const save = useMutation({
    mutationFn: (body: Partial<Settings>) => client.installation.changeSettings({ body }),
    onSuccess: (saved) => {
      queryClient.setQueryData(settingsQuery.queryKey, saved);
      toast('Saved.');
    },
    onError: form.refuse,
  });
  const submit = () => {
    const { cleanShare, ...others } = form.values;
    const body = form.check(api.installation.changeSettings.body, { ...others, cleanShare: Number(cleanShare) / 100 });
    if (body) save.mutate(body as Settings);
  };
  const number = (name: keyof Settings, label: string, description: string, max: number, suffix = '') => (
    <NumberInput
      label={label}
      description={description}
      value={form.values[name]}
      onChange={(value) => form.set({ [name]: value })}
      error={form.errors[name]}
      min={0}
      max={max}
      suffix={suffix}
      clampBehavior="none"
    />
  );
  return (
    <form action={submit} noValidate>
      <Stack maw={760}>
        <Fields>
          {number(
            'cleanShare',
            'Sample of clean requests',
            'All failed and repaired requests are stored, up to the limit below.',
            100,
            ' %',
          )}
          {number(
            'cleanPerMinute',
            'Clean requests per minute',
            'Maximum stored; further requests are only counted.',
            100_000,
          )}
        </Fields>
        {number(
          'failuresPerMinute',
          'Failures per minute',
          'Maximum stored across all models, per gateway; further failures are only counted.',
          100_000,
        )}
        <Fields>
          {number(
            'bodyDays',
            'Store request and response bodies for',
            'Then they are deleted; metrics stay.',
            365,
            ' days',
          )}
          {number(
            'turnDays',
            'Keep request metadata for',
            'Charts reach further back: they are built from totals.',
            3650,
            ' days',
          )}
        </Fields>
        {form.problem && <Problem error={form.problem} />}
        <Button type="submit" loading={save.isPending} style={{ alignSelf: 'flex-start' }}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
