import { UpstreamWatch } from '@callsmith/data/upstreams';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const as = (role: 'admin' | 'editor' | 'viewer') => ({ as: gateway.cookies[role] });

it('status tells how the stores are', async () => {
  const { body } = await gateway.send('GET', '/api/status', as('viewer'));
  expect(body).toEqual({
    database: { ok: true, since: null },
    redis: null,
    record: { queued: 0, lost: 0, diskFull: false },
    problems: [],
  });
});

it('the checklist follows the first steps, refused requests included', async () => {
  const look = async () => (await gateway.send('GET', '/api/checklist', as('editor'))).body;
  expect(await look()).toEqual({
    upstream: false,
    key: false,
    request: false,
    lastContact: null,
    baseUrl: 'http://localhost:80/v1',
  });
  const chat = (key: string) =>
    gateway.send('POST', '/v1/chat/completions', {
      headers: { authorization: `Bearer ${key}`, 'user-agent': 'Cline/3.0' },
      body: { model: 'demo-native', messages: [{ role: 'user', content: 'hi' }] },
    });
  await chat('sk-wrong-key-0123456789');
  expect((await look()).lastContact).toMatchObject({
    client: 'cline',
    accepted: false,
    say: expect.stringContaining('401'),
  });
  const issued = await gateway.send('POST', '/api/keys', {
    ...as('editor'),
    body: { teamId: gateway.teams.own, holder: 'Ann' },
  });
  expect(await look()).toMatchObject({ key: true, request: false });
  expect(JSON.stringify(await look())).not.toContain('0123456789');
  expect(issued.status).toBe(200);
});

it('settings keep what a change does not name, and are audited', async () => {
  const changed = await gateway.send('PATCH', '/api/settings', { ...as('admin'), body: { bodyDays: 3 } });
  expect(changed.body).toMatchObject({ bodyDays: 3, turnDays: 90 });
  expect((await gateway.send('GET', '/api/settings', as('admin'))).body).toEqual(changed.body);
  const refused = await gateway.send('PATCH', '/api/settings', {
    ...as('admin'),
    body: { bodyDays: 0, cleanShare: 2 },
  });
  expect(refused.body.error.fields.map(({ path }: { path: string }) => path)).toEqual(['cleanShare', 'bodyDays']);
  const { body } = await gateway.send('GET', '/api/audit?targetKind=settings', as('admin'));
  expect(body.items).toEqual([expect.objectContaining({ after: changed.body, actor: 'admin@callsmith.local' })]);
  const me = await gateway.send('GET', '/api/session', as('viewer'));
  expect(me.body.installation.bodyRetentionDays).toBe(3);
});

it('the audit log comes in pages, newest first', async () => {
  for (let n = 0; n < 3; n++)
    await gateway.send('PATCH', '/api/settings', { ...as('admin'), body: { failuresPerMinute: 10 + n } });
  const first = (await gateway.send('GET', '/api/audit?targetKind=settings&limit=2', as('admin'))).body;
  const second = (await gateway.send('GET', `/api/audit?targetKind=settings&limit=2&cursor=${first.next}`, as('admin')))
    .body;
  const days = [...first.items, ...second.items].map(
    ({ after }: { after: { failuresPerMinute: number } }) => after.failuresPerMinute,
  );
  expect(days.slice(0, 3)).toEqual([12, 11, 10]);
});

it('where upstreams are is for admins: others are told names', async () => {
  await gateway.send('POST', '/api/upstreams', {
    ...as('admin'),
    body: { name: 'gpu', baseUrl: 'http://127.0.0.1:9/secret-path/v1' },
  });
  await gateway.app.get(UpstreamWatch, { strict: false }).lookAtAll();
  const problems = async (role: 'admin' | 'viewer') =>
    (await gateway.send('GET', '/api/status', as(role))).body.problems;
  expect(await problems('admin')).toEqual(['http://127.0.0.1:9/secret-path: connection refused, retrying every 10 s']);
  expect(await problems('viewer')).toEqual(['Upstream gpu is not responding; retrying every 10 s.']);
});
