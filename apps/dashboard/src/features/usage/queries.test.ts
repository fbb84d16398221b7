import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { type Usage, type UsageFilter, usageQuery } from './queries.ts';

const week: UsageFilter = { period: { range: '7d' }, by: 'model', keyId: 'key_1' };

it.each<[string, UsageFilter, boolean]>([
  ['another range', { ...week, period: { range: '30d' } }, true],
  ['counted by something else', { ...week, by: 'client' }, true],
  ['another key', { ...week, keyId: 'key_2' }, false],
  ['a team', { period: week.period, by: 'model', teamId: 'team_1' }, false],
])('figures stay while those of %s load, if they are of the same requests', (_, next, stays) => {
  const client = new QueryClient();
  const usage = { points: [], items: [] } as unknown as Usage;
  client.setQueryData(usageQuery(week).queryKey, usage);
  const optionsOf = (filter: UsageFilter) => ({ ...usageQuery(filter), enabled: false });
  const observer = new QueryObserver(client, optionsOf(week));
  const stop = observer.subscribe(() => {});
  observer.setOptions(optionsOf(next));
  expect(observer.getCurrentResult().data === usage).toBe(stays);
  stop();
});
