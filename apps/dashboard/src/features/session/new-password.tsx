import { api } from '@callsmith/contracts';
import { Button, PasswordInput, Text, TextInput, Title } from '@mantine/core';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormContent } from '../../ui/form-content.tsx';
import { Frame } from './frame.tsx';
import { redeemLink } from './redeem-link.ts';
import { useSignedIn } from './use-signed-in.ts';

/** Sets a password by an invitation or a reset link, and signs in. */
export function NewPassword({ token, email, invited }: { token: string; email: string | null; invited: boolean }) {
  const signedIn = useSignedIn();
  const form = useApiForm({
    initialValues: { password: '' },
    schema: api.session.useLink.body,
    bodyOf: ({ password }) => ({ token, password }),
    send: (body) => redeemLink({ body }),
    onSaved: (me) => signedIn(me, '/'),
  });
  return (
    <Frame title="Set a password">
      <FormContent
        form={form}
        leaving="free"
        fields={
          <>
            <Title order={1}>{invited ? 'Welcome to Callsmith' : 'Set a new password'}</Title>
            {invited && <Text c="dimmed">Set a password to finish signing up.</Text>}
            <TextInput label="E-mail" value={email ?? ''} readOnly autoComplete="username" variant="filled" />
            <PasswordInput
              label="New password"
              description="At least 10 characters"
              autoComplete="new-password"
              autoFocus
              {...form.getInputProps('password')}
            />
          </>
        }
      >
        <Button type="submit" loading={form.running}>
          Set password and sign in
        </Button>
      </FormContent>
    </Frame>
  );
}
