import { findingClass, outcomeFilter } from '@callsmith/contracts';
import type { Filter } from './queries.ts';

/** The filters that stand in the address, by the names they have there. */
export const filterNames = ['model', 'strategy', 'class', 'outcome', 'tool', 'client', 'team', 'key', 'shape'] as const;

/** Reads the filters from an address; what the API would refuse is left out. */
export function filterOf(params: URLSearchParams): Filter {
  const word = (name: (typeof filterNames)[number]) => params.get(name) ?? undefined;
  return {
    model: word('model'),
    strategy: word('strategy'),
    class: findingClass.safeParse(params.get('class')).data,
    outcome: outcomeFilter.safeParse(params.get('outcome')).data,
    tool: word('tool'),
    client: word('client'),
    teamId: word('team'),
    keyId: word('key'),
    shape: word('shape'),
  };
}
