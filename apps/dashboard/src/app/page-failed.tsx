import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useReachability } from './reachability.ts';

/** A page could not be drawn, or its code could not be loaded, as after an update of the gateway or without a connection. */
export function PageFailed() {
  const { away, retry, retrying } = useReachability();
  const [wasAway, setWasAway] = useState(false);
  if (away && !wasAway) setWasAway(true);
  const back = wasAway && !away;
  useEffect(() => {
    if (back) window.location.reload();
  }, [back]);
  return (
    <Center mih="60dvh" p="md" role="alert">
      <Stack align="center" gap="sm" maw={460} ta="center">
        <Title order={1}>{away?.by === 'browser' ? 'You are offline' : 'This page failed to load'}</Title>
        <Text c="dimmed">{away ? awayTexts[away.by] : updatedText}</Text>
        {away ? (
          <Button onClick={retry} loading={retrying}>
            Try again
          </Button>
        ) : (
          <Button onClick={() => window.location.reload()}>Reload</Button>
        )}
      </Stack>
    </Center>
  );
}

const awayTexts = {
  browser: 'This page was not loaded before. It opens by itself once you are connected again.',
  gateway: 'The gateway is not responding. This page opens by itself once it responds again.',
} as const;

const updatedText =
  'Callsmith may have just been updated. Reload the page to get the current version; nothing is lost.';
