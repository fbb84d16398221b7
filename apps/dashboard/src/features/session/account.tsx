import { api } from '@callsmith/contracts';
import { PasswordInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useMe } from '../../lib/session.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { PageForm } from '../../ui/page-form.tsx';

/** The own account: change the password. */
export function AccountPage() {
  const { user } = useMe();
  const form = useApiForm({
    initialValues: { current: '', password: '' },
    schema: api.session.changePassword.body,
    bodyOf: (values) => values,
    send: (body) => client.session.changePassword({ body }),
    saved: () => 'Password changed. Other sessions have ended.',
    onSaved: () => form.initialize({ current: '', password: '' }),
  });
  return (
    <Page title="Account" subtitle={`${user.email} · ${user.role}`}>
      <Card title="Password" subtitle="Changing it ends your other sessions.">
        <PageForm form={form} action="Change password" maxWidth={380}>
          <PasswordInput label="Current password" autoComplete="current-password" {...form.getInputProps('current')} />
          <PasswordInput
            label="New password"
            description="At least 10 characters"
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
        </PageForm>
      </Card>
    </Page>
  );
}
