import { ApiError } from '@callsmith/contracts';
import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { formatMoment } from '../../lib/format.ts';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { Frame } from './frame.tsx';
import { KeyHandOver } from './key-hand-over.tsx';
import { NewPassword } from './new-password.tsx';
import { OpenConnect } from './open-connect.tsx';
import { linkQuery } from './queries.ts';
import { redeemLink } from './redeem-link.ts';
import { useSignedIn } from './use-signed-in.ts';

/** Behind a one-time link. The token is after the `#`, so no server and no log sees it before it is used. */
export function LinkPage() {
  const token = useLocation().hash.slice(1);
  const link = useQuery(linkQuery(token));
  if (token.length < 16) return <Gone />;
  if (link.isPending)
    return (
      <Frame title="One-time link">
        <LoadingRows rows={3} />
      </Frame>
    );
  if (link.isError) return <Gone error={link.error} />;
  const { kind, email, expiresAt } = link.data;
  switch (kind) {
    case 'connect':
      return <OpenConnect token={token} expiresAt={expiresAt} />;
    case 'key':
      return <KeyHandOver token={token} expiresAt={expiresAt} />;
    case 'sign-in':
      return <OneTimeSignIn token={token} email={email} expiresAt={expiresAt} />;
    case 'invite':
    case 'reset-password':
      return <NewPassword token={token} email={email} invited={kind === 'invite'} />;
  }
}

const Gone = ({ error }: { error?: unknown }): ReactNode => (
  <Frame title="One-time link">
    <Stack>
      {error === undefined || isGone(error) ? (
        <>
          <Title order={1}>This link no longer works</Title>
          <Text>One-time links work once and expire. Ask the sender for a new one.</Text>
        </>
      ) : (
        <>
          <Title order={1}>This link could not be opened</Title>
          <Problem error={error} />
        </>
      )}
      <Anchor component={Link} to="/sign-in">
        Sign in with a password
      </Anchor>
    </Stack>
  </Frame>
);

const isGone = (error: unknown) => error instanceof ApiError && error.status === 404;

function OneTimeSignIn({ token, email, expiresAt }: { token: string; email: string | null; expiresAt: string }) {
  const signedIn = useSignedIn();
  const signIn = useMutation({
    mutationFn: () => redeemLink({ body: { token } }),
    onSuccess: (me) => signedIn(me, '/'),
  });
  return (
    <Frame title="One-time sign-in">
      <Stack>
        <Title order={1}>One-time sign-in</Title>
        <Text>
          Signs in as <b>{email ?? 'the admin'}</b>. The link works once and expires {formatMoment(expiresAt)}.
        </Text>
        {signIn.error && <Problem error={signIn.error} />}
        <Button onClick={() => signIn.mutate()} loading={signIn.isPending} autoFocus>
          Sign in
        </Button>
      </Stack>
    </Frame>
  );
}
