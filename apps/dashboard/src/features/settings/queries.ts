import { queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';

export type Settings = Awaited<ReturnType<typeof client.installation.settings>>;

/** Sampling and retention. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => client.installation.settings(undefined, signal),
});

/** Where alerts are sent. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => client.webhooks.list(undefined, signal),
  refetchInterval: 10_000,
});
