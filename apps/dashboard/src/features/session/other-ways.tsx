import { Button, Divider, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { waysQuery } from './queries.ts';

/** Signing in at the OpenID Connect provider, where there is one; says why it did not work the last time. */
export function OtherWays() {
  const { data } = useQuery(waysQuery);
  const failed = useSearchParams()[0].get('oidc');
  if (!data?.oidc) return null;
  return (
    <>
      <Divider label="or" />
      <Button component="a" href={data.oidc.url} variant="default" fullWidth>
        Sign in at {new URL(data.oidc.issuer).host}
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
  no_group: 'None of your groups may enter. Ask an admin.',
  no_team: 'Your group belongs to a team that is not there. Ask an admin.',
  no_email: 'The provider did not tell your e-mail address. Ask an admin.',
  address_taken: 'Somebody with your e-mail address is here already. Ask an admin.',
  disabled: 'Your account is disabled. Ask an admin.',
  expired: 'That took too long. Try again.',
  provider_unreachable: 'The provider does not answer. Try again later.',
};
