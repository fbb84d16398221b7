import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const asAdmin = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  gateway.send(method, url, { as: gateway.cookies.admin, body });
const idOf = async (email: string) => (await gateway.prisma.user.findUniqueOrThrow({ where: { email } })).id;

it('never returns a password hash', async () => {
  const { body } = await asAdmin('GET', '/api/users');
  expect(body.items).toHaveLength(3);
  expect(JSON.stringify(body)).not.toContain('argon2');
});

it('a viewer or editor needs a team', async () => {
  const invited = await asAdmin('POST', '/api/users', { email: 'x@example.com', role: 'viewer' });
  expect([invited.status, invited.body.error.param]).toEqual([400, 'teamId']);
  const changed = await asAdmin('PATCH', `/api/users/${await idOf('viewer@example.com')}`, { teamId: null });
  expect(changed.body.error.param).toBe('teamId');
  const unknown = await asAdmin('POST', '/api/users', { email: 'x@example.com', role: 'viewer', teamId: 'team_none' });
  expect(unknown.body.error.fields).toEqual([{ path: 'teamId', message: 'must be an existing team' }]);
});

it('an address is unique, regardless of case', async () => {
  const again = await asAdmin('POST', '/api/users', { email: 'VIEWER@example.com', role: 'admin' });
  expect([again.status, again.body.error.param]).toEqual([409, 'email']);
});

it('a disabled user is signed out immediately, and cannot return by a link', async () => {
  const id = await idOf('viewer@example.com');
  const { body } = await asAdmin('POST', `/api/users/${id}/reset-password`);
  const disabled = await asAdmin('PATCH', `/api/users/${id}`, { disabled: true });
  expect(disabled.body.disabledAt).not.toBeNull();
  expect((await gateway.send('GET', '/api/session', { as: gateway.cookies.viewer })).status).toBe(401);
  const token = String(body.link).split('#')[1];
  expect((await gateway.send('POST', '/api/links/use', { body: { token, password: 'another one' } })).status).toBe(404);
  expect((await asAdmin('PATCH', `/api/users/${id}`, { disabled: false })).body.disabledAt).toBeNull();
});

it('a new role applies from the next request', async () => {
  const id = await idOf('editor@example.com');
  await asAdmin('PATCH', `/api/users/${id}`, { role: 'admin' });
  expect((await gateway.send('GET', '/api/users', { as: gateway.cookies.editor })).status).toBe(200);
  await asAdmin('PATCH', `/api/users/${id}`, { role: 'editor' });
  expect((await gateway.send('GET', '/api/users', { as: gateway.cookies.editor })).status).toBe(403);
});

it('a deleted user is signed out immediately and their links end; the audit log still names them', async () => {
  const { user, link } = (
    await asAdmin('POST', '/api/users', { email: 'gone@example.com', role: 'editor', teamId: gateway.teams.own })
  ).body;
  const used = await gateway.app.inject({
    method: 'POST',
    url: '/api/links/use',
    payload: { token: String(link).split('#')[1], password: 'another long one' },
  });
  const cookie = String(used.headers['set-cookie']).split(';')[0];
  const view = { screen: 'failures', name: 'mine', address: { model: 'a' } };
  expect((await gateway.send('POST', '/api/views', { as: cookie, body: view })).status).toBe(200);
  await gateway.send('POST', '/api/keys', { as: cookie, body: { teamId: gateway.teams.own, holder: 'Cy' } });
  const { body } = await asAdmin('POST', `/api/users/${user.id}/reset-password`);
  expect((await asAdmin('DELETE', `/api/users/${user.id}`)).status).toBe(200);
  expect((await gateway.send('GET', '/api/session', { as: cookie })).status).toBe(401);
  const token = String(body.link).split('#')[1];
  expect((await gateway.send('POST', '/api/links/use', { body: { token, password: 'another one' } })).status).toBe(404);
  expect(await gateway.prisma.savedView.count({ where: { userId: user.id } })).toBe(0);
  const audited = (await asAdmin('GET', '/api/audit')).body.items;
  expect(audited.find(({ action }: { action: string }) => action === 'key.issue')?.actor).toBe('gone@example.com');
  expect((await asAdmin('DELETE', `/api/users/${user.id}`)).status).toBe(404);
  const again = await asAdmin('POST', '/api/users', { email: 'gone@example.com', role: 'admin' });
  expect(again.status).toBe(200);
  await asAdmin('DELETE', `/api/users/${again.body.user.id}`);
});

it('the last admin cannot be removed', async () => {
  const id = await idOf('admin@callsmith.local');
  for (const change of [{ role: 'viewer', teamId: gateway.teams.own }, { disabled: true }]) {
    const { status } = await asAdmin('PATCH', `/api/users/${id}`, change);
    expect(status).toBe(409);
  }
});

it('users cannot delete themselves, and of two admins who delete each other one stays', async () => {
  const own = await idOf('admin@callsmith.local');
  expect((await asAdmin('DELETE', `/api/users/${own}`)).body.error.message).toBe(
    'You cannot delete your own account; ask another admin to do it.',
  );
  const editor = await idOf('editor@example.com');
  await asAdmin('PATCH', `/api/users/${editor}`, { role: 'admin' });
  const statuses = await Promise.all(
    [editor, own].map((id, at) =>
      gateway.send('DELETE', `/api/users/${id}`, { as: at === 0 ? gateway.cookies.admin : gateway.cookies.editor }),
    ),
  );
  const left = await gateway.prisma.user.count({ where: { role: 'admin', disabledAt: null } });
  expect([statuses.filter(({ status }) => status === 200).length, left]).toEqual([1, 1]);
});
