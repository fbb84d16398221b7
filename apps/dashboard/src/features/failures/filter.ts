import { filteredColumns, findingClass, outcomeFilter } from '@callsmith/contracts';
import type { Filter } from './queries.ts';

// A column's filter has the name of its facet, by which the facets set it.
const columnFilters = filteredColumns.map(({ parameter, facet = parameter }) => ({ parameter, name: facet }));

/** Reads the filters from an address; what the API would refuse is left out. */
export function filterOf(params: URLSearchParams): Filter {
  const word = (name: string) => params.get(name) ?? undefined;
  return {
    ...Object.fromEntries(columnFilters.map(({ name, parameter }) => [parameter, word(name)])),
    model: word('model'),
    class: findingClass.safeParse(params.get('class')).data,
    outcome: outcomeFilter.safeParse(params.get('outcome')).data,
    tool: word('tool'),
    rule: word('rule'),
    text: word('text'),
    argument: word('argument'),
    shape: word('shape'),
    group: word('group'),
  };
}
