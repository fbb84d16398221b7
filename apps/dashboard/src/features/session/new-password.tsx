import { api } from '@callsmith/contracts';
import { Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { sessionKey } from '../../lib/session.ts';
import { Problem } from '../../ui/states.tsx';
import { Frame } from './frame.tsx';

/** Sets a password by an invitation or a reset link, and signs in. */
export function NewPassword({ token, email, invited }: { token: string; email: string | null; invited: boolean }) {
  const form = useForm({ password: '' });
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (password: string) => client.session.useLink({ body: { token, password } }),
    onSuccess: (me) => {
      queryClient.clear();
      queryClient.setQueryData(sessionKey, me);
      void navigate('/', { replace: true });
    },
    onError: form.refuse,
  });
  const submit = () => {
    const body = form.check(api.session.useLink.body, { token, password: form.values.password });
    if (body?.password) save.mutate(body.password);
  };
  return (
    <Frame title="Set a password">
      <form action={submit} noValidate>
        <Stack>
          <Title order={1}>{invited ? 'Welcome to Callsmith' : 'Set a new password'}</Title>
          {invited && <Text c="dimmed">Set a password to finish signing up.</Text>}
          <TextInput label="E-mail" value={email ?? ''} readOnly autoComplete="username" variant="filled" />
          <PasswordInput
            label="New password"
            description="At least 10 characters"
            autoComplete="new-password"
            autoFocus
            value={form.values.password}
            error={form.errors.password && 'Must have at least 10 characters.'}
            onChange={(event) => form.set({ password: event.currentTarget.value })}
          />
          {form.problem && <Problem error={form.problem} />}
          <Button type="submit" loading={save.isPending}>
            Set password and sign in
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}
