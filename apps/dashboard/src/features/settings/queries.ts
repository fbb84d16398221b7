import type { api, InputOf } from '@callsmith/contracts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';

export type Settings = Awaited<ReturnType<typeof client.installation.settings>>;

/** Sampling and retention. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => client.installation.settings(undefined, signal),
});

/** What is masked in everything that is stored. */
export const redactionQuery = queryOptions({
  queryKey: ['redaction'],
  queryFn: ({ signal }) => client.redaction.show(undefined, signal),
});

type Tried = InputOf<typeof api.redaction.try>['body'];

/** A text as it would be stored. */
export const tryQuery = (body: Tried) =>
  queryOptions({
    queryKey: ['redaction', 'try', body],
    queryFn: ({ signal }) => client.redaction.try({ body }, signal),
    placeholderData: keepPreviousData,
  });

/** Where alerts are sent. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => client.webhooks.list(undefined, signal),
  refetchInterval: 10_000,
});
