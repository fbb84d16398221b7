import { periodOf } from '../../lib/period.ts';
import { type Asked, type By, groups } from './queries.ts';

/** The address's name of what each group is confined by. */
const names = { model: 'model', key: 'key', team: 'team', client: 'client' } as const satisfies Record<By, string>;

const isGroup = (word: string | null): word is By => groups.some((group) => group === word);

/** What stands in the address; a week by model where nothing is said. */
export function askedOf(params: URLSearchParams): Asked {
  const by = params.get('by');
  const value = (group: By) => params.get(names[group]) ?? undefined;
  return {
    period: periodOf(params, '7d'),
    by: isGroup(by) ? by : 'model',
    model: value('model'),
    keyId: value('key'),
    teamId: value('team'),
    client: value('client'),
  };
}

/** What a change of the address confines the page to: one of a group, shown by the next group that is not yet confined. */
export function confineTo(params: URLSearchParams, by: By, id: string): Readonly<Record<string, string | null>> {
  const open = groups.filter((group) => group !== by && !params.has(names[group]));
  const next = open.includes('key') ? 'key' : (open[0] ?? by);
  return { [names[by]]: id, by: next === 'model' ? null : next };
}
