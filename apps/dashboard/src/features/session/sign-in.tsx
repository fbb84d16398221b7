import { ApiError, api } from '@callsmith/contracts';
import { Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearchParams } from 'react-router';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { sessionKey } from '../../lib/session.ts';
import { Problem } from '../../ui/states.tsx';
import { Frame } from './frame.tsx';
import { OtherWays } from './other-ways.tsx';

/** Signs in by e-mail and password, then goes where one wanted to go. */
export function SignInPage() {
  const form = useForm({ email: '', password: '' });
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const next = safePath(useSearchParams()[0].get('next'));
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => client.session.signIn({ body }),
    onSuccess: (me) => {
      queryClient.clear();
      queryClient.setQueryData(sessionKey, me);
      void navigate(next, { replace: true });
    },
    onError: form.refuse,
  });
  const submit = () => {
    const body = form.check(api.session.signIn.body, form.values);
    if (body) signIn.mutate(body);
  };
  return (
    <Frame title="Sign in">
      <form action={submit} noValidate>
        <Stack>
          <Title order={1}>Sign in</Title>
          <TextInput
            label="E-mail"
            type="email"
            name="email"
            autoComplete="username"
            autoFocus
            value={form.values.email}
            error={form.errors.email && 'Enter your e-mail address.'}
            onChange={(event) => form.set({ email: event.currentTarget.value })}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            value={form.values.password}
            error={form.errors.password && 'Enter your password.'}
            onChange={(event) => form.set({ password: event.currentTarget.value })}
          />
          {form.problem && <SignInProblem error={form.problem} />}
          <Button type="submit" loading={signIn.isPending} fullWidth>
            Sign in
          </Button>
          <OtherWays />
          <Text fz="xs" c="dimmed">
            Forgot your password? On the machine where Callsmith runs:{' '}
            <code>npm run admin -- reset-password{form.values.email ? ` ${form.values.email}` : ''}</code>
          </Text>
        </Stack>
      </form>
    </Frame>
  );
}

function SignInProblem({ error }: { error: Error }) {
  const say = error instanceof ApiError ? sentence(error) : null;
  if (!say) return <Problem error={error} />;
  return (
    <Text c="var(--mantine-color-error)" fz="sm" role="alert">
      {say}
    </Text>
  );
}

function sentence(error: ApiError): string | null {
  if (error.status === 401) return 'Wrong e-mail or password.';
  if (error.status === 429) return error.message;
  return null;
}

// Only a path of our own: `//host` and `https:` would lead away.
const safePath = (next: string | null): string => (next && /^\/(?![/\\])/.test(next) ? next : '/');
