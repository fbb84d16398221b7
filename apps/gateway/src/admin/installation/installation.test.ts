import { UpstreamWatch } from '@callsmith/data/upstreams';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const as = (role: 'admin' | 'editor' | 'viewer') => ({ as: gateway.cookies[role] });

it('status reports the state of the stores', async () => {
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
    call: false,
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

it('the checklist ends with a tool call of a model of one’s own, not with any request and not with the demo’s', async () => {
  const { prisma, teams } = gateway;
  const { body } = await gateway.send('POST', '/api/keys', {
    ...as('editor'),
    body: { teamId: teams.own, holder: 'Bo' },
  });
  const look = async () => (await gateway.send('GET', '/api/checklist', as('editor'))).body;
  await prisma.apiKey.update({ where: { id: body.key.id }, data: { lastUsedAt: new Date() } });
  const upstream = await prisma.upstream.create({
    data: { id: 'up_real', name: 'real', origin: 'admin', baseUrl: 'http://127.0.0.1:9/v2' },
  });
  const demo = await prisma.upstream.findFirstOrThrow({ where: { origin: 'demo' } });
  const summed = (upstreamId: string, calls: { clean?: number; none?: number }) =>
    prisma.turnRollup.create({
      data: {
        grain: 'minute',
        bucket: new Date(Math.floor(Date.now() / 60_000) * 60_000),
        ...{ teamId: teams.own, keyId: body.key.id, modelId: `model_${upstreamId}`, upstreamId },
        ...{ strategyUsed: 'native', dialect: '', client: 'cline' },
        ...{ turns: 1, clean: 0, repaired: 0, failed: 0, none: 0, errors: 0, ...calls },
        ...{ inputTokens: 1, outputTokens: 1, cachedTokens: 0, injectedTokens: 0 },
      },
    });
  await summed(demo.id, { clean: 1 });
  const real = await summed(upstream.id, { none: 1 });
  expect(await look()).toMatchObject({ request: true, call: false });
  const { grain, bucket, teamId, keyId, modelId, upstreamId, strategyUsed, dialect, client } = real;
  await prisma.turnRollup.update({
    where: {
      grain_bucket_teamId_keyId_modelId_upstreamId_strategyUsed_dialect_client: {
        ...{ grain, bucket, teamId, keyId, modelId, upstreamId, strategyUsed, dialect, client },
      },
    },
    data: { clean: 1 },
  });
  expect(await look()).toMatchObject({ request: true, call: true });
  await prisma.upstream.delete({ where: { id: upstream.id } });
});

it('a change keeps the settings that it does not name, and is audited', async () => {
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

it('upstream addresses are for admins: others get names only', async () => {
  await gateway.send('POST', '/api/upstreams', {
    ...as('admin'),
    body: { name: 'gpu', baseUrl: 'http://127.0.0.1:9/secret-path/v1' },
  });
  await gateway.app.get(UpstreamWatch, { strict: false }).checkAll();
  const problems = async (role: 'admin' | 'viewer') =>
    (await gateway.send('GET', '/api/status', as(role))).body.problems;
  expect(await problems('admin')).toEqual(['http://127.0.0.1:9/secret-path: connection refused, retrying every 10 s']);
  expect(await problems('viewer')).toEqual(['Upstream gpu is not responding; retrying every 10 s.']);
});

it('the audit log is filtered by actor, kind and time, names its targets, and can be exported', async () => {
  const made = await gateway.send('POST', '/api/teams', { as: gateway.cookies.admin, body: { name: 'Night, shift' } });
  const team = made.body.id as string;
  const list = async (query: string) =>
    (await gateway.send('GET', `/api/audit?${query}`, { as: gateway.cookies.admin })).body.items;
  const own = await list(`targetId=${team}`);
  expect(own).toEqual([expect.objectContaining({ action: 'team.add', target: 'Night, shift' })]);
  expect(await list(`targetId=${team}&actor=ADMIN@callsmith.local`)).toHaveLength(1);
  expect(await list(`targetId=${team}&actor=editor@example.com`)).toHaveLength(0);
  expect(await list(`targetId=${team}&kind=changes`)).toHaveLength(1);
  expect(await list(`targetId=${team}&kind=reads`)).toHaveLength(0);
  expect(await list(`targetId=${team}&to=${new Date(Date.now() - 60_000).toISOString()}`)).toHaveLength(0);
  expect((await gateway.send('DELETE', `/api/teams/${team}`, { as: gateway.cookies.admin })).status).toBe(200);
  // The name is kept after the team is deleted.
  expect((await list(`targetId=${team}`)).map(({ target }: { target: string }) => target)).toEqual([
    'Night, shift',
    'Night, shift',
  ]);
  const file = await gateway.send('GET', `/api/audit/export?targetId=${team}`, { as: gateway.cookies.admin });
  expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
  const lines = String(file.body).trimEnd().split('\r\n');
  expect(lines[0]).toBe('at,actor,action,targetKind,targetId,target,reason,before,after');
  expect(lines[1]).toContain(`,team.remove,team,${team},"Night, shift",`);
  expect((await gateway.send('GET', '/api/audit/export', { as: gateway.cookies.editor })).status).toBe(403);
});

it('a team is deleted only when it has no users and no keys, and never the last one', async () => {
  const remove = (id: string) => gateway.send('DELETE', `/api/teams/${id}`, { as: gateway.cookies.admin });
  const refused = await remove(gateway.teams.own);
  expect([refused.status, refused.body.error.message]).toEqual([
    409,
    expect.stringMatching(/has \d+ users? and \d+ active keys?/),
  ]);
  const demo = await gateway.prisma.team.findFirstOrThrow({ where: { demo: true } });
  expect((await remove(demo.id)).status).toBe(409);
  expect((await remove('team_none')).status).toBe(404);
  const { body: team } = await gateway.send('POST', '/api/teams', {
    as: gateway.cookies.admin,
    body: { name: 'short-lived' },
  });
  const { body: issued } = await gateway.send('POST', '/api/keys', {
    as: gateway.cookies.admin,
    body: { teamId: team.id, holder: 'Ann' },
  });
  expect((await remove(team.id)).status).toBe(409);
  await gateway.send('DELETE', `/api/keys/${issued.key.id}`, { as: gateway.cookies.admin });
  expect((await remove(team.id)).status).toBe(200);
  expect(
    (await gateway.send('GET', '/api/teams', { as: gateway.cookies.admin })).body.items.map(
      ({ id }: { id: string }) => id,
    ),
  ).not.toContain(team.id);
});
