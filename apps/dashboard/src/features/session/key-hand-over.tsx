import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { formatMoment } from '../../lib/format.ts';
import { ClientSetup } from '../../ui/client-setup.tsx';
import { retentionNote } from '../../ui/retention-note.ts';
import { Problem } from '../../ui/states.tsx';
import { Frame } from './frame.tsx';

/** Hands a key over: shows it and how to set a client up, once. */
export function KeyHandOver({ token, expiresAt }: { token: string; expiresAt: string }) {
  const fetchKey = useMutation({ mutationFn: () => client.keys.fetchByLink({ body: { token } }) });
  if (!fetchKey.data)
    return (
      <Frame title="Your API key">
        <Stack>
          <Title order={1}>Your API key is ready</Title>
          <Text>
            It is shown once, together with setup instructions for coding clients. Open it on the machine where you need
            it. The link expires {formatMoment(expiresAt)}.
          </Text>
          {fetchKey.error && <Problem error={fetchKey.error} />}
          <Button onClick={() => fetchKey.mutate()} loading={fetchKey.isPending}>
            Show key
          </Button>
        </Stack>
      </Frame>
    );
  const { key, secret, baseUrl, models, bodyRetentionDays } = fetchKey.data;
  return (
    <Frame title="Your API key" wide>
      <Stack>
        <Title order={1}>Key for {key.holder}</Title>
        <Text>Copy it now: once you close this page, it cannot be shown again.</Text>
        <ClientSetup secret={secret} baseUrl={baseUrl} models={models} kept={retentionNote(key, bodyRetentionDays)} />
      </Stack>
    </Frame>
  );
}
