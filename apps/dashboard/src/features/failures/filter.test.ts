import { expect, test } from 'vitest';
import { filterOf } from './filter.ts';

test('an address is read as filters, without what the API would refuse', () => {
  expect(filterOf(new URLSearchParams('model=a/b&class=InvalidJson&outcome=failed&team=team_1'))).toMatchObject({
    model: 'a/b',
    class: 'InvalidJson',
    outcome: 'failed',
    teamId: 'team_1',
  });
  expect(filterOf(new URLSearchParams('class=Nonsense&outcome=great'))).toMatchObject({
    class: undefined,
    outcome: undefined,
  });
});
