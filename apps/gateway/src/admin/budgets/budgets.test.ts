import { LIMIT_STORE, type LimitStore, windowBegin } from '@callsmith/data/limits';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ CURRENCY: 'EUR' });
  await gateway.send('PATCH', '/api/models/demo-native', {
    as: gateway.cookies.admin,
    body: { price: { input: 1000, cachedInput: 100, output: 5000 } },
  });
});
afterAll(() => gateway.stop());

const put = (body: object, as = gateway.cookies.admin) => gateway.send('PUT', '/api/budgets', { as, body });
const list = (as = gateway.cookies.admin) => gateway.send('GET', '/api/budgets', { as });

const issue = async (holder: string, given: object = {}) => {
  const body = { teamId: gateway.teams.own, holder, ...given };
  return (await gateway.send('POST', '/api/keys', { as: gateway.cookies.admin, body })).body;
};

const ask = (secret: string, path = '/v1/chat/completions') =>
  gateway.send('POST', path, {
    headers: { authorization: `Bearer ${secret}` },
    body: { model: 'demo-native', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] },
  });

/** Uses up everything that remains of a counter. */
const spend = async (counter: string, period: 'day' | 'month', amount: number) => {
  const limits = gateway.app.get<LimitStore>(LIMIT_STORE, { strict: false });
  await limits.add(counter, period, windowBegin(period, Date.now()), amount);
};

it('a key’s exhausted money budget is refused with its currency, on every API in that API’s error format', async () => {
  const { key, secret } = await issue('Ann', { spendBudget: 5_000_000, budgetPeriod: 'month' });
  expect(key).toMatchObject({ spendBudget: 5_000_000, tokenBudget: null });
  await spend(`spend:${key.id}`, 'month', 5_000_000);
  const chat = await ask(secret);
  expect(chat.status).toBe(403);
  expect(chat.headers['x-should-retry']).toBe('false');
  expect(chat.body.error).toMatchObject({ type: 'insufficient_quota', code: 'insufficient_quota' });
  expect(chat.body.error.message).toContain('This key has used its 5.00 EUR of the month.');
  const messages = await ask(secret, '/v1/messages');
  expect([messages.status, messages.headers['x-should-retry']]).toEqual([403, 'false']);
  expect(messages.body).toMatchObject({ type: 'error', error: { type: 'permission_error' } });
});

it('a budget in money without a period is refused by name', async () => {
  const body = { teamId: gateway.teams.own, holder: 'x', spendBudget: 5 };
  const { body: reply } = await gateway.send('POST', '/api/keys', { as: gateway.cookies.admin, body });
  expect(reply.error).toMatchObject({ param: 'budgetPeriod', message: 'budgetPeriod: is required with spendBudget' });
});

it('all keys of an owner share the owner’s budget, those of others do not', async () => {
  const [one, two, other] = [await issue('Ben'), await issue('Ben'), await issue('Cem')];
  const terms = { tokenBudget: 1000, spendBudget: null, budgetPeriod: 'day' };
  const set = await put({ teamId: gateway.teams.own, holder: 'Ben', ...terms });
  expect(set.body).toMatchObject({ teamName: 'default', holder: 'Ben', ...terms, tokensUsed: 0, spendUsed: null });
  const { id } = await gateway.prisma.budget.findFirstOrThrow({ where: { holder: 'Ben' } });
  await spend(`shared-budget:${id}`, 'day', 1000);
  for (const { secret } of [one, two]) {
    const refused = await ask(secret);
    expect(refused.body.error.code).toBe('insufficient_quota');
    expect(refused.body.error.message).toContain('The owner Ben of this key has used its 1000 tokens of the day.');
  }
  expect((await ask(other.secret)).body.error.code).not.toBe('insufficient_quota');
  expect((await list()).body.items).toEqual([expect.objectContaining({ holder: 'Ben', tokensUsed: 1000 })]);
});

it('a team’s budget applies to every key in it, and is removed when neither amount is given', async () => {
  const { secret } = await issue('Dana');
  const of = { teamId: gateway.teams.own, holder: null, budgetPeriod: 'month' };
  await put({ ...of, tokenBudget: null, spendBudget: 2_500_000 });
  const { id } = await gateway.prisma.budget.findFirstOrThrow({ where: { holder: '' } });
  await spend(`shared-spend:${id}`, 'month', 2_500_000);
  const refused = await ask(secret);
  expect(refused.body.error.message).toContain('The team default of this key has used its 2.50 EUR of the month.');
  expect((await put({ ...of, tokenBudget: null, spendBudget: null })).body).toBeNull();
  expect((await ask(secret)).body.error.code).not.toBe('insufficient_quota');
  const audited = await gateway.send('GET', `/api/audit?targetId=${gateway.teams.own}`, { as: gateway.cookies.admin });
  expect(audited.body.items.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['budget.set', 'budget.remove']),
  );
});

it('security 6: an editor sets budgets only of owners in their own team, and never a team’s', async () => {
  const terms = { tokenBudget: 10, spendBudget: null, budgetPeriod: 'day' };
  const { own, other } = gateway.teams;
  const { editor, viewer } = gateway.cookies;
  expect((await put({ teamId: own, holder: null, ...terms }, editor)).status).toBe(403);
  expect((await put({ teamId: other, holder: 'Eva', ...terms }, editor)).status).toBe(404);
  expect((await put({ teamId: own, holder: 'Eva', ...terms }, viewer)).status).toBe(403);
  expect((await put({ teamId: own, holder: 'Eva', ...terms }, editor)).status).toBe(200);
  await put({ teamId: other, holder: 'Foreign', ...terms });
  const holders = (await list(viewer)).body.items.map(({ holder }: { holder: string }) => holder);
  expect(holders).toContain('Eva');
  expect(holders).not.toContain('Foreign');
});
