import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const remove = (id: string) => gateway.send('DELETE', `/api/teams/${id}`, { as: gateway.cookies.admin });
const messageOf = async (id: string) => (await remove(id)).body.error.message;

it('a team with users or active keys is not deleted; an empty one is, but never the only one', async () => {
  const { own, other } = gateway.teams;
  const as = gateway.cookies.admin;
  expect(await messageOf(own)).toMatch(/^default has 2 users and \d active keys?\. Move the users/);
  const issued = await gateway.send('POST', '/api/keys', { as, body: { teamId: other, holder: 'Ann' } });
  expect(await messageOf(other)).toMatch(/^other has 0 users and 1 active key\. /);
  await gateway.send('DELETE', `/api/keys/${issued.body.key.id}`, { as });
  expect((await remove(other)).status).toBe(200);
  expect((await remove(other)).status).toBe(404);
  const last = await remove(own);
  expect([last.status, last.body.error.message]).toEqual([409, 'This is the only team; add another one first.']);
});

describe('an alert that is limited to a deleted team', () => {
  const as = () => gateway.cookies.admin;
  const add = async (what: 'teams' | 'webhooks', body: object) => {
    const reply = await gateway.send('POST', `/api/${what}`, { as: as(), body });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    return reply.body;
  };
  const alertOf = async (id: string) =>
    (await gateway.send('GET', '/api/webhooks', { as: as() })).body.items.find((one: { id: string }) => one.id === id);

  it('keeps the other teams that it names; without another it is switched off, not widened to all teams', async () => {
    const gone = (await add('teams', { name: 'gone', storesBodies: true })).id;
    const hook = {
      url: 'https://203.0.113.1/x',
      triggers: { recordLost: true, failedRate: null, upstreamDown: null, budgetSpent: null },
    };
    const scope = { models: [], clients: [] };
    const both = await add('webhooks', {
      ...hook,
      name: 'both',
      scope: { ...scope, teams: [gone, gateway.teams.own] },
    });
    const only = await add('webhooks', { ...hook, name: 'only', scope: { ...scope, teams: [gone] } });
    const others = await add('webhooks', { ...hook, name: 'others', scope: { ...scope, teams: [gateway.teams.own] } });
    const ids = [both, only, others].map(({ webhook }) => webhook.id);
    expect((await remove(gone)).status).toBe(200);
    const [first, second, third] = await Promise.all(ids.map(alertOf));
    expect([first.enabled, first.scope.teams]).toEqual([true, [gateway.teams.own]]);
    expect([second.enabled, second.scope.teams]).toEqual([false, []]);
    expect([third.enabled, third.scope.teams]).toEqual([true, [gateway.teams.own]]);
    const audited = (await gateway.send('GET', '/api/audit', { as: as() })).body.items;
    const changes = audited.filter(({ action }: { action: string }) => action === 'webhook.change');
    expect(changes.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
      'A team that it was limited to was deleted.',
      'The only team that it was limited to was deleted.',
    ]);
  });
});

it('a key that is issued while its team is deleted keeps the team, or is refused', async () => {
  const as = gateway.cookies.admin;
  for (let round = 0; round < 8; round++) {
    const { body } = await gateway.send('POST', '/api/teams', {
      as,
      body: { name: `race ${round}`, storesBodies: true },
    });
    const [issued, removed] = await Promise.all([
      gateway.send('POST', '/api/keys', { as, body: { teamId: body.id, holder: 'Ann' } }),
      remove(body.id),
    ]);
    expect(['200 409', '409 200', '400 200']).toContain(`${issued.status} ${removed.status}`);
  }
});
