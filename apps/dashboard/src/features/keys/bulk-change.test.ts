import type { Key } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { bulkBody, countChanged } from './bulk-change.ts';
import { noLimits } from './limits.ts';

const none = { ...noLimits, teamId: '' };

const key = (given: Partial<Key>): Key =>
  ({
    allowedModels: null,
    expiresAt: null,
    requestsPerMinute: null,
    tokensPerMinute: null,
    concurrentStreams: null,
    tokenBudget: null,
    spendBudget: null,
    budgetPeriod: null,
    ...given,
  }) as Key;

it('only the chosen limits are sent; a chosen one that is empty takes the limit away', () => {
  const values = { ...none, requestsPerMinute: 5, tokensPerMinute: 9, allowedModels: ['m'] };
  expect(bulkBody(values, [])).toEqual({});
  expect(bulkBody(values, ['requestsPerMinute', 'concurrentStreams'])).toEqual({
    requestsPerMinute: 5,
    concurrentStreams: null,
  });
  expect(bulkBody({ ...values, spendBudget: 2.5 }, ['models', 'budget'])).toEqual({
    allowedModels: ['m'],
    tokenBudget: null,
    spendBudget: 2_500_000,
    budgetPeriod: 'month',
  });
});

it('counts the keys that a change is one for', () => {
  const keys = [key({ requestsPerMinute: 5 }), key({ requestsPerMinute: 6 }), key({})];
  expect(countChanged(keys, { ...none, requestsPerMinute: 5 }, 'requestsPerMinute')).toBe(2);
  expect(countChanged(keys, none, 'requestsPerMinute')).toBe(2);
  expect(countChanged(keys, none, 'budget')).toBe(0);
});

it('a team is sent where it is chosen, and counts those of others', () => {
  const values = { ...none, teamId: 'team_2' };
  expect(bulkBody(values, ['team'])).toEqual({ teamId: 'team_2' });
  expect(countChanged([key({ teamId: 'team_1' }), key({ teamId: 'team_2' })], values, 'team')).toBe(1);
});
