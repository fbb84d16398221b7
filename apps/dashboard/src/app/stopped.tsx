import { Box, Button } from '@mantine/core';
import { Empty } from '../ui/states.tsx';

/** A page could not be drawn, or its code could not be loaded, as after an update of the gateway. */
export const Stopped = () => (
  <Box role="alert">
    <Empty title="This page stopped" action={<Button onClick={() => window.location.reload()}>Load it again</Button>}>
      Callsmith may just have been updated. Loading the page again fetches the current version; nothing is lost.
    </Empty>
  </Box>
);
