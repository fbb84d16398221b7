import { type api, type InputOf, type Model } from '@callsmith/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { toast, toastError } from '../../ui/toast.ts';

type Change = InputOf<typeof api.models.change>['body'];

/** Changes a model's strategy, confirms it, and offers to undo it or to open its chart. */
export function useSwitch(model: Model) {
  const queryClient = useQueryClient();
  const patch = useMutation({
    mutationFn: (body: Change) => client.models.change({ params: { id: model.id }, body }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const undo = async () => {
    try {
      await patch.mutateAsync({
        strategy: model.strategy.value,
        dialect: model.dialect.source === 'declared' ? model.dialect.value : null,
        exampleCalls: model.exampleCalls?.source === 'declared' ? model.exampleCalls.value : null,
        reason: 'Undone',
      });
      toast(`${model.name} is back to ${model.strategy.value}.`);
    } catch (error) {
      toastError(error);
    }
  };
  return {
    /** Throws what the server refused. */
    async run(body: Change, seeChart: () => void) {
      const changed = await patch.mutateAsync(body);
      toast(`${changed.name} uses ${changed.strategy.value}, starting with the next request.`, [
        { label: 'Undo', run: () => void undo() },
        { label: 'Show chart', run: seeChart },
      ]);
    },
  };
}
