import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';

/** Downloads what a screen lists as a CSV file. */
export const CsvLink = ({ href }: { href: string }) => (
  <Button component="a" href={href} download size="xs" variant="default" leftSection={<IconDownload size={14} />}>
    CSV
  </Button>
);
