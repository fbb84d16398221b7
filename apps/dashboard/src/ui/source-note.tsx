import { Text } from '@mantine/core';
import { sourceTexts } from '../lib/explain.ts';

/** Where a setting's value comes from, behind the value. */
export const SourceNote = ({ source }: { source: string }) => (
  <Text span fz="xs" c="dimmed">
    {' '}
    · {sourceTexts[source] ?? source}
  </Text>
);
