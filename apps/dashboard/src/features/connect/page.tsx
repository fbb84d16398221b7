import { ApiError, type OwnKey } from '@callsmith/contracts';
import { Box, Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../lib/api.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { Wordmark } from '../../ui/brand.tsx';
import { Card } from '../../ui/card.tsx';
import { ClientSetup } from '../../ui/client-setup.tsx';
import { retentionNote } from '../../ui/retention-note.ts';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { OwnRequests } from './own-requests.tsx';
import { OwnUsage } from './own-usage.tsx';
import { ownKeyQuery } from './queries.ts';
import { RotateOwn } from './rotate-own.tsx';
import { TestRequest } from './test-request.tsx';

/** The page of a key's owner, who has no account. */
export function ConnectPage() {
  const own = useQuery(ownKeyQuery);
  return (
    <Box component="main" mih="100dvh" maw={1040} mx="auto" p={{ base: 'sm', sm: 'lg' }}>
      <title>Your API key · Callsmith</title>
      <Stack gap="lg">
        <Wordmark size={26} />
        {isOver(own.error) ? (
          <Over />
        ) : own.data ? (
          <Shown own={own.data} />
        ) : (
          <>
            <Title order={1}>Your API key</Title>
            {own.isError ? <Problem error={own.error} /> : <LoadingRows rows={6} />}
          </>
        )}
      </Stack>
    </Box>
  );
}

const isOver = (error: unknown) => error instanceof ApiError && error.status === 401;

const Over = () => (
  <>
    <Title order={1}>Your API key</Title>
    <Empty title="This browser is not connected to a key">
      Ask an editor or admin of your team for a connect link (they create it under Keys) and open it here. The
      connection ends after 30 days, or when the key is revoked or rotated.
    </Empty>
  </>
);

function Shown({ own }: { own: OwnKey }) {
  const queryClient = useQueryClient();
  // Neither stored nor sent anywhere but with the test.
  const [secret, setSecret] = useState('');
  const [tests, setTests] = useState<ReadonlySet<string>>(new Set());
  const { key, baseUrl, suggested } = own;
  const models = [...own.models].sort((a, b) => Number(b.name === suggested) - Number(a.name === suggested));
  const leave = async () => {
    await client.connect.leave();
    await queryClient.resetQueries({ queryKey: ['connect'] });
  };
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <Box miw={0}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            Key of {key.holder}
          </Title>
          <Text c="dimmed">
            <span className="mono">{key.hint}</span> · {key.teamName}
          </Text>
        </Box>
        <Group gap="xs">
          {own.rotates && (
            <RotateOwn
              hint={key.hint}
              onRotated={(made) => {
                setSecret(made);
                void queryClient.invalidateQueries({ queryKey: ['connect'] });
              }}
            />
          )}
          <Button variant="subtle" onClick={() => void leave()}>
            Disconnect
          </Button>
        </Group>
      </Group>
      <Card title="Use and limits" subtitle="The last 30 days">
        <OwnUsage of={own} />
      </Card>
      <Card title="Set up your client">
        <Stack gap="md">
          <Text>{suggestionOf(own)}</Text>
          <PasswordInput
            label="Your API key"
            description="Fills in the values below. It never leaves this page."
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
            autoComplete="off"
            maw={480}
          />
          <ClientSetup
            key={suggested}
            secret={secret.trim() || 'YOUR_API_KEY'}
            baseUrl={baseUrl}
            models={models}
            kept={retentionNote(key, own.bodyRetentionDays)}
          />
        </Stack>
      </Card>
      <Card title="Test">
        <TestRequest
          secret={secret}
          hint={key.hint}
          models={models}
          onSent={(id) => setTests((previous) => new Set([...previous, id]))}
        />
      </Card>
      <Card title="Your requests" subtitle="The last 25, without message content" flush>
        <OwnRequests tests={tests} />
      </Card>
    </>
  );
}

/** Which model to take, and why. */
function suggestionOf({ models, suggested }: OwnKey): string {
  const valid = models.find(({ name }) => name === suggested)?.valid;
  if (valid)
    return `Suggested model: ${suggested}. Of your team’s ${formatCount(valid.n)} requests with tool calls to it in the last 30 days, ${formatShare(valid.value)} were delivered with valid calls.`;
  return 'No model is suggested: none that this key may use had 30 requests with tool calls of your team in the last 30 days.';
}
