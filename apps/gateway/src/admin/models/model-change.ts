import type { AskOf, api } from '@callsmith/contracts';

/** What may be changed of a model. */
export type ModelChange = Omit<
  NonNullable<AskOf<typeof api.models.change>['body']>,
  'reason' | 'routes' | 'capabilities'
>;

/** The columns of a change; what is not named stays as it is. */
export function changeColumns({ strategy, holdBytes, contextLength, ...rest }: ModelChange) {
  const plain = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(plain) as { [Name in keyof typeof rest]: Exclude<(typeof rest)[Name], undefined> }),
    ...(strategy !== undefined && { strategy, strategySource: 'declared' }),
    ...(holdBytes !== undefined && {
      holdBytes: holdBytes === 'default' ? null : holdBytes,
      holdsWhole: holdBytes === null,
    }),
    ...(contextLength !== undefined && {
      contextLength,
      contextSource: contextLength === null ? 'default' : 'declared',
    }),
  };
}
