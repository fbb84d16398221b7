import { api, type Key } from '@callsmith/contracts';
import { expect, test } from 'vitest';
import { limitsBody, limitsOf, noLimits } from './limits.ts';

const key: Key = {
  id: 'key_1',
  teamId: 'team_1',
  teamName: 'Core',
  storesBodies: true,
  holder: 'Ada',
  hint: 'sk-…3f2a',
  kind: 'issued',
  allowedModels: ['a/b'],
  requestsPerMinute: 60,
  tokensPerMinute: null,
  concurrentStreams: 4,
  tokenBudget: 5_000_000,
  spendBudget: 12_340_000,
  budgetPeriod: 'day',
  createdAt: '2026-01-01T00:00:00Z',
  expiresAt: new Date('2026-03-01T23:59:59').toISOString(),
  revokedAt: null,
  rotatedTo: null,
  lastUsedAt: null,
  lastClient: null,
  managedBy: null,
};

test('limits of a key survive the form', () => {
  expect(limitsBody(limitsOf(key))).toEqual({
    allowedModels: ['a/b'],
    expiresAt: key.expiresAt,
    requestsPerMinute: 60,
    tokensPerMinute: null,
    concurrentStreams: 4,
    tokenBudget: 5_000_000,
    spendBudget: 12_340_000,
    budgetPeriod: 'day',
  });
});

test('an empty form is no limit at all, as the contract takes it', () => {
  const body = { teamId: 'team_1', holder: 'Ada', ...limitsBody(noLimits) };
  expect(api.keys.issue.body.parse(body)).toEqual(body);
  expect(Object.values(limitsBody(noLimits)).every((value) => value === null)).toBe(true);
});
