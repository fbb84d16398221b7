import type { api, InputOf, Model, Trial } from '@callsmith/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { trialQuery } from './queries.ts';

export type TrialTarget = InputOf<typeof api.trials.start>['body'];

/** A trial of a model: the address holds which one, so that it is found again. */
export function useTrial(model: Model) {
  const address = useAddress();
  const queryClient = useQueryClient();
  const id = address.get('trial');
  const shown = useQuery({ ...trialQuery(id ?? ''), enabled: id !== undefined });
  const keep = (trial: Trial) => queryClient.setQueryData(trialQuery(trial.id).queryKey, trial);
  const start = useMutation({
    mutationFn: (body: TrialTarget) => client.trials.start({ params: { id: model.id }, body }),
    onSuccess: (trial) => {
      keep(trial);
      address.set({ trial: trial.id });
    },
  });
  const cancel = useMutation({
    mutationFn: (trial: Trial) => client.trials.cancel({ params: { id: trial.id } }),
    onSuccess: keep,
  });
  return {
    /** Undefined: none was started, or it is still being fetched. */
    trial: shown.data?.modelId === model.id ? shown.data : undefined,
    pending: id !== undefined && shown.isPending,
    starting: start.isPending,
    cancelling: cancel.isPending,
    /** Why it could not be begun, shown or cancelled. */
    error: start.error ?? cancel.error ?? shown.error,
    start: (target: TrialTarget) => start.mutate(target),
    cancel: (trial: Trial) => cancel.mutate(trial),
  };
}

/** Nothing more comes of it. */
export const hasEnded = ({ state }: Trial): boolean => state !== 'waiting' && state !== 'running';
