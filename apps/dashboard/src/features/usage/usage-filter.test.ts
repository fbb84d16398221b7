import { expect, it } from 'vitest';
import { narrowTo, usageFilterIn } from './usage-filter.ts';

const params = (query: string) => new URLSearchParams(query);

it('an address holds the whole view', () => {
  expect(usageFilterIn(params('range=30d&by=key&model=m&key=key_1&team=team_1&client=cline'))).toEqual({
    period: { range: '30d' },
    by: 'key',
    model: 'm',
    keyId: 'key_1',
    teamId: 'team_1',
    client: 'cline',
  });
  expect(usageFilterIn(params('by=nonsense'))).toMatchObject({ period: { range: '7d' }, by: 'model' });
});

it('one of a group is looked into by its keys, and a key by its models', () => {
  expect(narrowTo(params(''), 'model', 'model_1')).toEqual({ model: 'model_1', by: 'key' });
  expect(narrowTo(params(''), 'key', 'key_1')).toEqual({ key: 'key_1', by: null });
  expect(narrowTo(params('model=m&key=k'), 'client', 'cline')).toEqual({ client: 'cline', by: 'team' });
  expect(narrowTo(params('model=m&key=k&team=t'), 'client', 'cline')).toEqual({ client: 'cline', by: 'client' });
});
