import { ApiError, api } from '@callsmith/contracts';
import { Button, PasswordInput, Text, TextInput, Title } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormContent } from '../../ui/form-content.tsx';
import { Problem } from '../../ui/states.tsx';
import { Frame } from './frame.tsx';
import { OtherSignInMethods } from './other-sign-in-methods.tsx';
import { useSignedIn } from './use-signed-in.ts';

/** Signs in by e-mail and password, then goes where one wanted to go. */
export function SignInPage() {
  const signedIn = useSignedIn();
  const next = safePath(useSearchParams()[0].get('next'));
  const form = useApiForm({
    initialValues: { email: '', password: '' },
    schema: api.session.signIn.body,
    bodyOf: (values) => values,
    messages: { email: 'Enter your e-mail address.', password: 'Enter your password.' },
    send: (body) => client.session.signIn({ body }),
    onSaved: (me) => signedIn(me, next),
  });
  return (
    <Frame title="Sign in">
      <FormContent
        form={form}
        leaving="free"
        problem={form.problem && <SignInProblem error={form.problem} />}
        fields={
          <>
            <Title order={1}>Sign in</Title>
            <Text fz="sm" c="dimmed">
              Callsmith is the gateway between coding clients and your model servers. Here you see how reliably models
              call tools, and manage models, API keys and limits.
            </Text>
            <TextInput
              label="E-mail"
              type="email"
              name="email"
              autoComplete="username"
              autoFocus
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              {...form.getInputProps('password')}
            />
          </>
        }
      >
        <Button type="submit" loading={form.running} fullWidth>
          Sign in
        </Button>
        <OtherSignInMethods />
        <Text fz="xs" c="dimmed">
          Forgot your password? On the machine where Callsmith runs:{' '}
          <code>npm run callsmith -- reset-password{form.values.email ? ` ${form.values.email}` : ''}</code>
        </Text>
      </FormContent>
    </Frame>
  );
}

function SignInProblem({ error }: { error: Error }) {
  const text = error instanceof ApiError ? sentence(error) : null;
  if (!text) return <Problem error={error} />;
  return (
    <Text c="var(--mantine-color-error)" fz="sm" role="alert">
      {text}
    </Text>
  );
}

function sentence(error: ApiError): string | null {
  if (error.status === 401) return 'Wrong e-mail or password.';
  if (error.status === 429) return error.message;
  return null;
}

// Only a path on this server: `//host` and `https:` would lead away.
const safePath = (next: string | null): string => (next && /^\/(?![/\\])/.test(next) ? next : '/');
