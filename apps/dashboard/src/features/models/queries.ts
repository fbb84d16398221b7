import { queryOptions } from '@tanstack/react-query';
import { linkTo } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { boundsOf, type Period } from '../../lib/period.ts';

export type Evidence = Awaited<ReturnType<typeof client.models.evidence>>;

/** Models with their effective settings. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => client.models.list(undefined, signal),
  refetchInterval: 15_000,
});

/** One model. */
export const modelQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', id],
    queryFn: ({ signal }) => client.models.show({ params: { id } }, signal),
    refetchInterval: 15_000,
  });

/** Both strategies side by side. */
export const evidenceQuery = (id: string, period: Period) =>
  queryOptions({
    queryKey: ['models', id, 'evidence', period],
    queryFn: ({ signal }) => client.models.evidence({ params: { id }, query: boundsOf(period) }, signal),
    refetchInterval: 'range' in period ? 10_000 : false,
  });

/** The rates of models by strategy as a file; `model`: of one only. */
export const ratesFile = (period: Period, model?: string): string =>
  linkTo('/api/stats/rates/export', { ...boundsOf(period), model });

/** A model's strategy changes. */
export const changesQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', id, 'changes'],
    queryFn: ({ signal }) => client.models.changes({ params: { id } }, signal),
  });

/** A trial; polled every second until it ends. */
export const trialQuery = (id: string) =>
  queryOptions({
    queryKey: ['trials', id],
    queryFn: ({ signal }) => client.trials.show({ params: { id } }, signal),
    refetchInterval: ({ state: { data } }) => (data?.state === 'waiting' || data?.state === 'running' ? 1_000 : false),
  });

/** A probe with its findings; polled every second until it ends. */
export const probeQuery = (id: string) =>
  queryOptions({
    queryKey: ['probes', id],
    queryFn: ({ signal }) => client.probes.show({ params: { id } }, signal),
    refetchInterval: ({ state: { data } }) => (data?.state === 'waiting' || data?.state === 'running' ? 1_000 : false),
  });

/** The probes of a model, newest first; polled every second while one runs. */
export const probesQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', id, 'probes'],
    queryFn: ({ signal }) => client.probes.list({ params: { id } }, signal),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => state === 'waiting' || state === 'running') ? 1_000 : 60_000,
  });

/** The cases saved for a model's probes. */
export const savedCasesQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', id, 'probe-cases'],
    queryFn: ({ signal }) => client.probes.cases({ params: { id } }, signal),
  });

/** Outcomes by tool and client, the tokens of tool prompts, and engine versions. */
export const breakdownQuery = (id: string, period: Period) =>
  queryOptions({
    queryKey: ['models', id, 'breakdown', period],
    queryFn: ({ signal }) => client.models.breakdown({ params: { id }, query: boundsOf(period) }, signal),
    refetchInterval: 'range' in period ? 60_000 : false,
  });

/** The experiments of a model, newest first. */
export const experimentsQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', id, 'experiments'],
    queryFn: ({ signal }) => client.experiments.list({ params: { id } }, signal),
    refetchInterval: ({ state: { data } }) => (data?.items.some(({ state }) => state === 'running') ? 10_000 : false),
  });

/** The upstreams that a model may run on. */
export const upstreamsQuery = queryOptions({
  queryKey: ['upstreams'],
  queryFn: ({ signal }) => client.upstreams.list(undefined, signal),
});
