import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { client } from '../../lib/api.ts';
import { formatMoment } from '../../lib/format.ts';
import { Problem } from '../../ui/states.tsx';
import { Frame } from './frame.tsx';

/** Opens the page of a key's owner: by a button, so that what only looks at a link does not use it up. */
export function OpenConnect({ token, expiresAt }: { token: string; expiresAt: string }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const open = useMutation({
    mutationFn: () => client.connect.open({ body: { token } }),
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: ['connect'] });
      void navigate('/connect', { replace: true });
    },
  });
  return (
    <Frame title="Your API key">
      <Stack>
        <Title order={1}>Your API key’s page</Title>
        <Text>
          Shows your limits, use and requests, and sets up your client. This browser stays connected for 30 days. The
          link works once and expires {formatMoment(expiresAt)}.
        </Text>
        {open.error && <Problem error={open.error} />}
        <Button onClick={() => open.mutate()} loading={open.isPending} autoFocus>
          Open
        </Button>
      </Stack>
    </Frame>
  );
}
