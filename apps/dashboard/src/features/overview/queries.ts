import type { ModelOrder } from '@callsmith/contracts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { boundsOf, type Period, ranges } from '../../lib/period.ts';

/** The parameters of Overview. */
export interface OverviewFilter {
  /** In which order models are listed. */
  readonly models: ModelOrder;
  readonly period: Period;
  readonly model?: string | undefined;
  readonly client?: string | undefined;
  readonly teamId?: string | undefined;
  readonly keyId?: string | undefined;
}

/** The order of models that an address names. */
export const modelOrderOf = (word: string | undefined): ModelOrder =>
  word === 'repaired' || word === 'calls' || word === 'name' ? word : 'failed';

export type Overview = Awaited<ReturnType<typeof client.stats.overview>>;
export type Checklist = Awaited<ReturnType<typeof client.installation.checklist>>;

/** All that Overview shows. Short ranges are polled every 4 s, so that a finished request appears within 5. */
export const overviewQuery = ({ period, ...filter }: OverviewFilter) =>
  queryOptions({
    queryKey: ['overview', period, filter],
    queryFn: ({ signal }) => client.stats.overview({ query: { ...boundsOf(period), ...filter } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 'range' in period ? (ranges[period.range] <= ranges['24h'] ? 4_000 : 60_000) : false,
  });

/** The first steps, asked often: somebody waits for the light to turn on. */
export const checklistQuery = queryOptions({
  queryKey: ['checklist'],
  queryFn: ({ signal }) => client.installation.checklist(undefined, signal),
  refetchInterval: 2_500,
});
