import { Button, Group, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { formatMoment } from '../../lib/format.ts';
import { Problem } from '../../ui/states.tsx';
import { type Requests, stoppedEarly } from './queries.ts';

/**
 * Under a search that has looked only at the newest requests with its words: looks further back when asked to, until it
 * finds one or is stopped. Give it the search as its key, so that another search does not go on by itself.
 */
export function SearchFurther({ requests }: { requests: Requests }) {
  const [searching, setSearching] = useState(false);
  const [error, setError] = useState<unknown>();
  const wanted = useRef(false);
  useEffect(
    () => () => {
      wanted.current = false;
    },
    [],
  );
  if (!stoppedEarly(requests)) return null;
  const search = async () => {
    wanted.current = true;
    setSearching(true);
    setError(undefined);
    while (wanted.current) {
      const { data, isError, error: failure, hasNextPage } = await requests.fetchNextPage();
      if (isError) setError(failure);
      if (isError || !hasNextPage || (data?.pages.at(-1)?.items.length ?? 0) > 0) break;
    }
    setSearching(false);
  };
  const stop = () => {
    wanted.current = false;
  };
  const pages = requests.data?.pages ?? [];
  const found = pages.some(({ items }) => items.length > 0);
  const next = pages.at(-1)?.next ?? null;
  if (error !== undefined) return <Problem error={error} onRetry={() => void search()} />;
  return (
    <Group gap="sm" py="sm">
      <Text fz="sm" c="dimmed" role="status">
        {found ? 'Searched' : 'No match'} back to {next === null ? 'the beginning' : formatMoment(timeOf(next))}.
      </Text>
      <Button size="xs" variant="default" onClick={searching ? stop : () => void search()}>
        {searching ? 'Stop' : 'Search older requests'}
      </Button>
    </Group>
  );
}

/** The time in a request's ID, which is a UUIDv7 (RFC 9562, 5.7). */
const timeOf = (id: string): string =>
  new Date(Number.parseInt(id.replace('turn_', '').slice(0, 12), 16)).toISOString();
