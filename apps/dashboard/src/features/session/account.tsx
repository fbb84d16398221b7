import { api } from '@callsmith/contracts';
import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

/** The own account: change the password. */
export function AccountPage() {
  const { user } = useMe();
  const form = useForm({ current: '', password: '' });
  const save = useMutation({
    mutationFn: (body: { current: string; password: string }) => client.session.changePassword({ body }),
    onSuccess: () => {
      form.set({ current: '', password: '' });
      toast('Password changed. Other sessions have ended.');
    },
    onError: form.refuse,
  });
  const submit = () => {
    const body = form.check(api.session.changePassword.body, form.values);
    if (body) save.mutate(body);
  };
  return (
    <Page title="Account" say={`${user.email} · ${user.role}`}>
      <Card title="Password" say="Changing it ends your other sessions.">
        <form action={submit} noValidate>
          <Stack maw={380}>
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              value={form.values.current}
              error={form.errors.current}
              onChange={(event) => form.set({ current: event.currentTarget.value })}
            />
            <PasswordInput
              label="New password"
              description="At least 10 characters"
              autoComplete="new-password"
              value={form.values.password}
              error={form.errors.password && 'Must have at least 10 characters.'}
              onChange={(event) => form.set({ password: event.currentTarget.value })}
            />
            {form.problem && <Problem error={form.problem} />}
            <Button type="submit" loading={save.isPending} style={{ alignSelf: 'flex-start' }}>
              Change password
            </Button>
          </Stack>
        </form>
      </Card>
    </Page>
  );
}
