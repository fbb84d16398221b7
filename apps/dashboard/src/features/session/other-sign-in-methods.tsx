import { Button, Divider, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { waysQuery } from './queries.ts';

/** Signing in at the OpenID Connect provider, where there is one; says why it did not work the last time. */
export function OtherSignInMethods() {
  const { data } = useQuery(waysQuery);
  const failed = useSearchParams()[0].get('oidc');
  if (!data?.oidc) return null;
  return (
    <>
      <Divider label="or" />
      <Button component="a" href={data.oidc.url} variant="default" fullWidth>
        Sign in with {new URL(data.oidc.issuer).host}
      </Button>
      {failed !== null && (
        <Text c="var(--mantine-color-error)" fz="sm" role="alert">
          {whyNot[failed] ?? 'The provider did not sign you in. Try again.'}
        </Text>
      )}
    </>
  );
}

const whyNot: Record<string, string | undefined> = {
  no_group: 'None of your groups has access. Ask an admin.',
  no_team: 'Your group is assigned to a team that does not exist. Ask an admin.',
  no_email: 'The provider did not send your e-mail address. Ask an admin.',
  address_taken: 'There is already an account with your e-mail address. Ask an admin.',
  disabled: 'Your account is disabled. Ask an admin.',
  expired: 'The sign-in expired. Try again.',
  provider_unreachable: 'The provider is not responding. Try again later.',
};
