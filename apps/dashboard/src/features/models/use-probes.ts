import type { api, InputOf, Model, Probe } from '@callsmith/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { probeQuery, probesQuery } from './queries.ts';

export type NewProbe = InputOf<typeof api.probes.start>['body'];

/** The probes of a model, the one that is shown (by default the newest), and what is done with them; fetched if `wanted`. */
export function useProbes(model: Model, { chosen, wanted }: { chosen: string | undefined; wanted: boolean }) {
  const queryClient = useQueryClient();
  const list = useQuery({ ...probesQuery(model.id), enabled: wanted });
  const id = chosen ?? list.data?.items[0]?.id;
  const shown = useQuery({ ...probeQuery(id ?? ''), enabled: id !== undefined });
  const again = () => queryClient.invalidateQueries({ queryKey: probesQuery(model.id).queryKey });
  const start = useMutation({
    mutationFn: (body: NewProbe) => client.probes.start({ params: { id: model.id }, body }),
    onSuccess: (probe) => {
      queryClient.setQueryData(probeQuery(probe.id).queryKey, probe);
      return again();
    },
  });
  const cancel = useMutation({
    mutationFn: ({ id }: Probe) => client.probes.cancel({ params: { id } }),
    onSuccess: (probe) => {
      queryClient.setQueryData(probeQuery(probe.id).queryKey, probe);
      return again();
    },
  });
  return {
    /** Newest first; undefined: still being fetched. */
    probes: list.data?.items,
    /** Undefined: there is none, or it is still being fetched. */
    probe: shown.data,
    starting: start.isPending,
    cancelling: cancel.isPending,
    /** Why they could not be fetched, or one not be begun or cancelled. */
    error: start.error ?? cancel.error ?? list.error ?? shown.error,
    start: (wish: NewProbe) => start.mutate(wish),
    cancel: (probe: Probe) => cancel.mutate(probe),
  };
}

/** It waits to be run, or runs. */
export const isUnfinished = ({ state }: Pick<Probe, 'state'>): boolean => state === 'waiting' || state === 'running';
