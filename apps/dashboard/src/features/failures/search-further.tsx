import { Button, Group, Text } from '@mantine/core';
import { type Requests, stoppedEarly } from './queries.ts';

/** Under a search that has looked only at the newest requests with its words: looks further back when asked to. */
export function SearchFurther({ requests }: { requests: Requests }) {
  if (!stoppedEarly(requests)) return null;
  const found = requests.data?.pages.some(({ items }) => items.length > 0);
  return (
    <Group gap="sm" py="sm" role="status">
      <Text fz="sm" c="dimmed">
        {found
          ? 'Only the newest requests with these words were searched.'
          : 'No match among the newest requests with these words.'}
      </Text>
      <Button
        size="xs"
        variant="default"
        loading={requests.isFetchingNextPage}
        onClick={() => void requests.fetchNextPage()}
      >
        Search older requests
      </Button>
    </Group>
  );
}
