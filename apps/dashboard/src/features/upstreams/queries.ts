import { queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';

export type TestResult = Awaited<ReturnType<typeof client.upstreams.test>>;

/** Upstreams with their health. */
export const upstreamsQuery = queryOptions({
  queryKey: ['upstreams'],
  queryFn: ({ signal }) => client.upstreams.list(undefined, signal),
  refetchInterval: 5_000,
});

/** An upstream's health over the last 24 hours. */
export const healthQuery = (id: string) =>
  queryOptions({
    queryKey: ['upstreams', id, 'health'],
    queryFn: ({ signal }) => client.upstreams.health({ params: { id } }, signal),
    refetchInterval: 30_000,
  });
