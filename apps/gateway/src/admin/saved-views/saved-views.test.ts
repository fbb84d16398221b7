import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  await gateway.prisma.savedView.deleteMany();
});
afterAll(() => gateway.stop());

type Who = 'admin' | 'editor' | 'viewer';

const view = { screen: 'failures', name: 'Late at night', address: { model: 'demo-native', range: '7d' } };
const save = (who: Who, given: object = {}) =>
  gateway.send('POST', '/api/views', { as: gateway.cookies[who], body: { ...view, ...given } });
const list = async (who: Who) =>
  (await gateway.send('GET', '/api/views', { as: gateway.cookies[who] })).body.items.map(
    ({ name }: { name: string }) => name,
  );
const change = (who: Who, id: string, body: object) =>
  gateway.send('PATCH', `/api/views/${id}`, { as: gateway.cookies[who], body });
const remove = (who: Who, id: string) => gateway.send('DELETE', `/api/views/${id}`, { as: gateway.cookies[who] });
const defaults = async (who: Who) =>
  (await gateway.send('GET', '/api/session', { as: gateway.cookies[who] })).body.defaultViews;

it('each user has their own views, which no one else sees, renames or deletes', async () => {
  const { status, body } = await save('viewer');
  expect([status, body]).toMatchObject([200, { ...view, teamId: null, mayChange: true, isDefault: false }]);
  expect([await list('viewer'), await list('editor'), await list('admin')]).toEqual([[view.name], [], []]);
  for (const who of ['editor', 'admin'] as const) {
    expect((await change(who, body.id, { name: 'Mine' })).status).toBe(404);
    expect((await remove(who, body.id)).status).toBe(404);
  }
  const renamed = await change('viewer', body.id, { name: 'Nights', address: { outcome: 'failed' } });
  expect(renamed.body).toMatchObject({ name: 'Nights', address: { outcome: 'failed' } });
  expect((await remove('viewer', body.id)).status).toBe(200);
  expect(await list('viewer')).toEqual([]);
});

it('security 6: views of a team are visible in it, and managed by its editors and by admins', async () => {
  const { own, other } = gateway.teams;
  expect((await save('viewer', { teamId: own })).status).toBe(403);
  expect((await save('editor', { teamId: other })).status).toBe(404);
  expect((await save('admin', { teamId: 'team_of_nobody' })).status).toBe(404);
  const { body } = await save('editor', { teamId: own });
  expect(body).toMatchObject({ teamId: own, teamName: 'default', mayChange: true });
  const foreign = await save('admin', { teamId: other, name: 'Of others' });
  expect([await list('viewer'), await list('editor'), await list('admin')]).toEqual([
    [view.name],
    [view.name],
    [view.name, 'Of others'],
  ]);
  expect((await change('viewer', body.id, { name: 'Mine' })).status).toBe(403);
  expect((await remove('viewer', body.id)).status).toBe(403);
  expect((await change('editor', foreign.body.id, { name: 'Ours' })).status).toBe(404);
  expect((await change('admin', body.id, { name: 'Ours' })).status).toBe(200);
  expect((await remove('editor', body.id)).status).toBe(200);
  const audited = await gateway.send('GET', '/api/audit?targetKind=view', { as: gateway.cookies.admin });
  expect(audited.body.items.map(({ action }: { action: string }) => action)).toEqual([
    'view.remove',
    'view.change',
    'view.add',
    'view.add',
  ]);
});

it('security 19: a viewer does not see what message content others search for', async () => {
  const { body } = await save('editor', { teamId: gateway.teams.own, address: { text: 'the merger' } });
  expect(await list('viewer')).toEqual([]);
  expect((await change('viewer', body.id, { isDefault: true })).status).toBe(404);
  const { id } = await gateway.prisma.user.findUniqueOrThrow({ where: { email: 'viewer@example.com' } });
  await gateway.prisma.defaultView.create({ data: { userId: id, screen: 'failures', viewId: body.id } });
  expect(await defaults('viewer')).toEqual({});
  expect(await list('editor')).toEqual([view.name]);
});

it('a default is personal, one for each screen, also for a team’s view, and deleted with the view', async () => {
  const team = (await save('editor', { teamId: gateway.teams.own })).body.id;
  const own = (await save('viewer', { name: 'Own', address: { outcome: 'error' } })).body.id;
  const requests = (await save('viewer', { screen: 'transcripts', address: { client: 'cline' } })).body.id;
  expect(await defaults('viewer')).toEqual({});
  expect((await change('viewer', team, { isDefault: true })).body.isDefault).toBe(true);
  await change('viewer', requests, { isDefault: true });
  expect(await defaults('viewer')).toEqual({ failures: view.address, transcripts: { client: 'cline' } });
  expect(await defaults('editor')).toEqual({});
  await change('viewer', own, { isDefault: true });
  expect(await defaults('viewer')).toMatchObject({ failures: { outcome: 'error' } });
  await change('viewer', own, { isDefault: false });
  await remove('viewer', requests);
  expect(await defaults('viewer')).toEqual({});
  await change('viewer', team, { isDefault: true });
  const { id } = await gateway.prisma.user.findUniqueOrThrow({ where: { email: 'viewer@example.com' } });
  await gateway.prisma.user.update({ where: { id }, data: { teamId: gateway.teams.other } });
  expect(await defaults('viewer')).toEqual({});
  await gateway.prisma.user.update({ where: { id }, data: { teamId: gateway.teams.own } });
});

it('a name is unique for each owner and screen; parameters that the screen does not have are refused by name', async () => {
  await save('viewer');
  const again = await save('viewer');
  expect([again.status, again.body.error]).toMatchObject([409, { param: 'name' }]);
  expect((await save('viewer', { screen: 'transcripts' })).status).toBe(200);
  expect((await save('editor')).status).toBe(200);
  const other = (await save('viewer', { name: 'Other' })).body.id;
  expect((await change('viewer', other, { name: view.name })).status).toBe(409);
  for (const address of [
    { turn: 'turn_1' },
    { next: 'https://example.com' },
    { model: '' },
    { text: 'x'.repeat(4001) },
  ])
    expect((await save('viewer', { name: 'Wrong', address })).status).toBe(400);
  for (const name of ['', '   ', 'x'.repeat(81)]) expect((await save('viewer', { name })).status).toBe(400);
});

it('an owner has at most 100 views, and the admin key none', async () => {
  const { id: userId } = await gateway.prisma.user.findUniqueOrThrow({ where: { email: 'viewer@example.com' } });
  await gateway.prisma.savedView.createMany({
    data: Array.from({ length: 100 }, (_, n) => ({
      id: `view_${n}`,
      screen: 'failures',
      name: `${n}`,
      userId,
      address: {},
    })),
  });
  expect((await save('viewer')).status).toBe(409);
  const headers = { 'x-admin-key': 'an-admin-key-of-tests' };
  expect((await gateway.send('POST', '/api/views', { headers, body: view })).status).toBe(403);
  const body = { ...view, teamId: gateway.teams.own };
  const made = await gateway.send('POST', '/api/views', { headers, body });
  expect(made.body).toMatchObject({ mayChange: true, isDefault: false });
  const asDefault = { headers, body: { isDefault: true } };
  expect((await gateway.send('PATCH', `/api/views/${made.body.id}`, asDefault)).status).toBe(403);
});
