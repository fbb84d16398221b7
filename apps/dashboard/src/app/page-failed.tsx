import { Button, Center, Stack, Text, Title } from '@mantine/core';

/** A page could not be drawn, or its code could not be loaded, as after an update of the gateway. */
export const PageFailed = () => (
  <Center mih="60dvh" p="md" role="alert">
    <Stack align="center" gap="sm" maw={460} ta="center">
      <Title order={1}>This page failed to load</Title>
      <Text c="dimmed">
        Callsmith may have just been updated, or is not responding. Reload the page to get the current version; nothing
        is lost.
      </Text>
      <Button onClick={() => window.location.reload()}>Reload</Button>
    </Stack>
  </Center>
);
