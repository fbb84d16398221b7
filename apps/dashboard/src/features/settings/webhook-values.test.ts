import { api, type Webhook } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { bodyOf, valuesOf } from './webhook-values.ts';

it('a new webhook alerts on what is a failure everywhere, by numbers that the API takes', () => {
  const body = bodyOf({ ...valuesOf(undefined), name: 'Chat', url: 'https://chat.example/hook' });
  expect(api.webhooks.create.body.parse(body)).toEqual({
    name: 'Chat',
    url: 'https://chat.example/hook',
    format: 'standard',
    triggers: {
      failedRate: { share: 0.1, minutes: 15, calls: 30 },
      failureBudget: true,
      errorRate: { share: 0.1, minutes: 15, requests: 30 },
      slowFirstToken: null,
      noRequests: null,
      upstreamDown: { minutes: 5 },
      recordLost: true,
      budgetSpent: { share: 0.8 },
      malformedRate: null,
      spend: null,
    },
    scope: { models: [], teams: [], clients: [] },
    quietHours: null,
    timeZone: expect.any(String),
    weeklyDigest: false,
  });
});

it('what is not changed stays as it is', () => {
  const triggers = {
    failedRate: { share: 0.035, minutes: 60, calls: 5 },
    failureBudget: false,
    errorRate: { share: 0.2, minutes: 5, requests: 9 },
    slowFirstToken: { seconds: 2.5, minutes: 30, requests: 7 },
    noRequests: { minutes: 45 },
    upstreamDown: null,
    recordLost: false,
    budgetSpent: null,
    malformedRate: { share: 0.25, minutes: 10, calls: 4 },
    spend: { amount: 12.5, hours: 6 },
  };
  const more = {
    scope: { models: ['model_1'], teams: [], clients: ['cline'] },
    quietHours: { from: '22:00', to: '07:00' },
    timeZone: 'Asia/Tokyo',
    weeklyDigest: true,
  };
  const webhook = { name: 'Pager', format: 'slack' as const, triggers, ...more };
  expect(bodyOf(valuesOf(webhook as unknown as Webhook))).toEqual(webhook);
});
