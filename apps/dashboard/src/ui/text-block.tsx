import { Box } from '@mantine/core';

/** Text of any length, unchanged, in a box that scrolls from `height` pixels on. */
export const TextBlock = ({ name, text, height }: { name: string; text: string; height: number }) => (
  <Box
    component="pre"
    className="mono"
    fz="xs"
    m={0}
    mah={height}
    style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
    tabIndex={0}
    aria-label={name}
  >
    {text || '(empty)'}
  </Box>
);
