import { queryOptions } from '@tanstack/react-query';
import { linkTo } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { boundsOf, type Period } from '../../lib/period.ts';

/** What usage is counted by. */
export const usageGroups = ['model', 'key', 'team', 'client'] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** The parameters of Usage. */
export interface UsageFilter {
  readonly period: Period;
  readonly by: UsageGroup;
  readonly model?: string | undefined;
  readonly keyId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly client?: string | undefined;
}

export type Usage = Awaited<ReturnType<typeof client.stats.usageOverTime>>;
export type UsagePoint = Usage['points'][number];
export type UsageItem = Usage['items'][number];

/** All that Usage shows. */
export const usageQuery = ({ period, ...filter }: UsageFilter) =>
  queryOptions({
    queryKey: ['usage', 'over-time', period, filter],
    queryFn: ({ signal }) => client.stats.usageOverTime({ query: { ...boundsOf(period), ...filter } }, signal),
    placeholderData: (previous: Usage | undefined, query) =>
      isOfSame(query?.queryKey[3] as typeof filter | undefined, filter) ? previous : undefined,
    refetchInterval: 'range' in period ? 30_000 : false,
  });

/** True if both are of the same requests: metrics of another key or team must not be shown under this one's name while its own load. */
const isOfSame = (one: Omit<UsageFilter, 'period'> | undefined, other: Omit<UsageFilter, 'period'>): boolean =>
  one !== undefined && (['model', 'keyId', 'teamId', 'client'] as const).every((name) => one[name] === other[name]);

/** The address of the same list as a file. */
export const usageFile = ({ period, ...filter }: UsageFilter): string =>
  linkTo('/api/stats/usage/export', { ...boundsOf(period), ...filter });
