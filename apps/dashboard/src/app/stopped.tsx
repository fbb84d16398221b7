import { Button, Center, Stack, Text, Title } from '@mantine/core';

/** A page could not be drawn, or its code could not be loaded, as after an update of the gateway. */
export const Stopped = () => (
  <Center mih="60dvh" p="md" role="alert">
    <Stack align="center" gap="sm" maw={460} ta="center">
      <Title order={1}>This page stopped</Title>
      <Text c="dimmed">
        Its code could not be loaded or run: Callsmith may just have been updated, or does not answer. Loading the page
        again fetches the current version; nothing is lost.
      </Text>
      <Button onClick={() => window.location.reload()}>Load it again</Button>
    </Stack>
  </Center>
);
