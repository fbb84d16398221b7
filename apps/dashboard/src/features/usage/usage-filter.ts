import { periodOf } from '../../lib/period.ts';
import { type UsageFilter, type UsageGroup, usageGroups } from './queries.ts';

/** The address's name of what each group is confined by. */
const names = { model: 'model', key: 'key', team: 'team', client: 'client' } as const satisfies Record<
  UsageGroup,
  string
>;

const isGroup = (word: string | null): word is UsageGroup => usageGroups.some((group) => group === word);

/** What the URL says; a week by model where it says nothing. */
export function usageFilterIn(params: URLSearchParams): UsageFilter {
  const by = params.get('by');
  const value = (group: UsageGroup) => params.get(names[group]) ?? undefined;
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
export function narrowTo(params: URLSearchParams, by: UsageGroup, id: string): Readonly<Record<string, string | null>> {
  const open = usageGroups.filter((group) => group !== by && !params.has(names[group]));
  const next = open.includes('key') ? 'key' : (open[0] ?? by);
  return { [names[by]]: id, by: next === 'model' ? null : next };
}
