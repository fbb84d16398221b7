import { inferenceSchemas } from '@callsmith/contracts/inference';
import { newTurnId } from '@callsmith/data/ids';
import { LIMIT_STORE, type LimitStore, windowBegin } from '@callsmith/data/limits';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
let mine: { key: { id: string }; secret: string };
const DAY_MS = 86_400_000;
const today = new Date().toISOString().slice(0, 10);

const issue = async (given: object) => {
  const body = { teamId: gateway.teams.own, holder: 'Ann', ...given };
  return (await gateway.send('POST', '/api/keys', { as: gateway.cookies.admin, body })).body;
};

beforeAll(async () => {
  gateway = await startTestGateway({ CURRENCY: 'CHF' });
  mine = await issue({ requestsPerMinute: 60, spendBudget: 10_000, budgetPeriod: 'month' });
  const other = await issue({});
  const { id: modelId } = await gateway.prisma.model.findUniqueOrThrow({ where: { name: 'demo-native' } });
  const turn = (keyId: string, at: Date, spend: number) => ({
    id: newTurnId(at),
    at,
    requestId: 'r',
    route: '/v1/chat/completions',
    teamId: gateway.teams.own,
    keyId,
    modelId,
    model: 'demo-native',
    productVersion: '1',
    client: 'other',
    streamed: false,
    classes: [],
    toolsOffered: 0,
    calls: 0,
    inputTokens: 100,
    outputTokens: 10,
    cachedTokens: 40,
    spend,
    totalMs: 1,
    attempts: 1,
    status: 200,
    stored: false,
  });
  const now = new Date();
  await gateway.prisma.turn.createMany({
    data: [
      turn(mine.key.id, now, 700),
      turn(mine.key.id, now, 300),
      turn(mine.key.id, new Date(now.getTime() - DAY_MS), 5),
      turn(other.key.id, now, 9_999),
    ],
  });
  for (const at of [now, new Date(now.getTime() - DAY_MS)])
    await gateway.prisma.rollupMark.create({
      data: { grain: 'minute', bucket: new Date(Math.floor(at.getTime() / 60_000) * 60_000) },
    });
});
afterAll(() => gateway.stop());

const usage = (secret: string, query = '') =>
  gateway.send('GET', `/v1/usage${query}`, { headers: { authorization: `Bearer ${secret}` } });

it('a key sees its own usage by day and model, its limits and what remains of them', async () => {
  const limits = gateway.app.get<LimitStore>(LIMIT_STORE, { strict: false });
  await limits.add(`spend:${mine.key.id}`, 'month', windowBegin('month', Date.now()), 1_005);
  const { status, body } = await usage(mine.secret);
  expect(status).toBe(200);
  inferenceSchemas.KeyUsage.parse(body);
  expect(body).toMatchObject({ object: 'usage', currency: 'CHF', key: { owner: 'Ann', team: 'default' } });
  expect(body.totals).toEqual({
    requests: 3,
    input_tokens: 300,
    cached_input_tokens: 120,
    output_tokens: 30,
    spend_micros: 1005,
  });
  expect(body.days).toHaveLength(2);
  expect(body.days[1]).toEqual({
    date: today,
    model: 'demo-native',
    requests: 2,
    input_tokens: 200,
    cached_input_tokens: 80,
    output_tokens: 20,
    spend_micros: 1000,
  });
  expect(body.limits).toMatchObject({
    requests_per_minute: { limit: 60, used: 0, remaining: 60 },
    tokens_per_minute: null,
    concurrent_requests: null,
    budgets: [{ of: 'key', unit: 'spend_micros', period: 'month', limit: 10_000, used: 1_005, remaining: 8_995 }],
  });
});

it('a range of days filters it, and is checked', async () => {
  expect((await usage(mine.secret, '?days=1')).body.totals.requests).toBe(2);
  for (const days of ['0', '367', 'x', '1.5'])
    expect((await usage(mine.secret, `?days=${days}`)).body.error).toMatchObject({
      code: 'invalid_parameter',
      param: 'days',
    });
});

it('without a key it is refused', async () => {
  expect((await gateway.send('GET', '/v1/usage')).status).toBe(401);
});
