import { writeExport } from '@callsmith/data/exports';
import { shownTurnId } from '@callsmith/data/ids';
import type { TurnRecord } from '@callsmith/data/record';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns, testTurn } from '../test-turns.ts';

let gateway: TestGateway;
let own: TurnRecord[];

beforeAll(async () => {
  gateway = await startTestGateway();
  const { id } = await gateway.prisma.model.findUniqueOrThrow({ where: { name: 'demo-native' } });
  own = Array.from({ length: 1_250 }, (_, n) =>
    testTurn({ teamId: gateway.teams.own, modelId: id, agoMs: 10_000 + n * 1_000 }),
  );
  own[0] = failedTurn({
    teamId: gateway.teams.own,
    modelId: id,
    agoMs: 5_000,
    errorMessage: '=HYPERLINK("http://evil")',
  });
  await recordTurns(gateway, [...own, testTurn({ teamId: gateway.teams.other, modelId: id, agoMs: 7_000 })]);
});
afterAll(() => gateway.stop());

const as = (role: 'admin' | 'editor' | 'viewer') => ({ as: gateway.cookies[role] });

async function ready(id: string, role: 'admin' | 'editor' | 'viewer') {
  for (let tries = 0; tries < 200; tries++) {
    const { body } = await gateway.send('GET', '/api/exports', as(role));
    const found = body.items.find((one: { id: string }) => one.id === id);
    if (found?.state === 'ready') return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('not ready');
}
const ask = async (role: 'admin' | 'editor' | 'viewer', body: object = {}) =>
  (await gateway.send('POST', '/api/exports', { ...as(role), body })).body;
const fileOf = (id: string, role: 'admin' | 'editor' | 'viewer') =>
  gateway.send('GET', `/api/exports/${id}/file`, as(role));

it('security 18, 29: a job writes a file of the team’s own turns, with formulas escaped', async () => {
  const requested = await ask('viewer');
  expect(requested).toMatchObject({ id: expect.stringMatching(/^exp_/), format: 'csv', whole: true });
  expect(await ready(requested.id, 'viewer')).toMatchObject({ turns: 1_250, whole: true });
  const file = await fileOf(requested.id, 'viewer');
  expect(file.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="turns.csv"',
  });
  const lines = String(file.body).trimEnd().split('\r\n');
  expect(lines[0]).toMatch(/^id,at,model,/);
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(own.map(({ id }) => shownTurnId(id)));
  expect(lines[1]).toContain(`"'=HYPERLINK`);
});

it('as JSON, filtered, of all teams for an admin', async () => {
  const requested = await ask('admin', { format: 'json', outcome: 'failed' });
  await ready(requested.id, 'admin');
  const { body } = await fileOf(requested.id, 'admin');
  expect(body).toEqual([expect.objectContaining({ id: shownTurnId(own[0]!.id), outcome: 'failed', team: 'default' })]);
});

it('security 29, 30: the file is only for its requester, while they may see its content', async () => {
  const requested = await ask('editor');
  await ready(requested.id, 'editor');
  for (const role of ['viewer', 'admin'] as const) {
    expect((await fileOf(requested.id, role)).status).toBe(404);
    expect((await gateway.send('DELETE', `/api/exports/${requested.id}`, as(role))).status).toBe(404);
  }
  expect(
    (await gateway.send('POST', '/api/exports', { ...as('viewer'), body: { teamId: gateway.teams.other } })).status,
  ).toBe(404);
  const { id } = await gateway.prisma.user.findUniqueOrThrow({ where: { email: 'editor@example.com' } });
  await gateway.prisma.user.update({ where: { id }, data: { teamId: gateway.teams.other } });
  expect((await fileOf(requested.id, 'editor')).status).toBe(404);
  await gateway.prisma.user.update({ where: { id }, data: { teamId: gateway.teams.own } });
  expect((await fileOf(requested.id, 'editor')).status).toBe(200);
  expect((await gateway.send('DELETE', `/api/exports/${requested.id}`, as('editor'))).status).toBe(200);
  expect((await fileOf(requested.id, 'editor')).status).toBe(404);
  expect(await gateway.prisma.turnExportPart.count({ where: { exportId: requested.id } })).toBe(0);
});

it('is audited, limited in number, and deleted when it expires', async () => {
  const before = (await gateway.send('GET', '/api/exports', as('admin'))).body.items.length;
  for (let n = before; n < 5; n++) await ask('admin', { outcome: 'none' });
  const refused = await gateway.send('POST', '/api/exports', { ...as('admin'), body: {} });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
  const { body } = await gateway.send('GET', '/api/audit?targetKind=export', as('admin'));
  expect(body.items[0]).toMatchObject({ action: 'turns.export', after: { outcome: 'none', format: 'csv' } });
  const [requested] = (await gateway.send('GET', '/api/exports', as('admin'))).body.items;
  await gateway.prisma.turnExport.update({ where: { id: requested.id }, data: { expiresAt: new Date() } });
  expect((await fileOf(requested.id, 'admin')).status).toBe(404);
});

it('a restarted file is written from its beginning, a deleted one is given up, one that is too long says so', async () => {
  const requested = await ask('viewer', { format: 'json' });
  await ready(requested.id, 'viewer');
  const again = () => gateway.prisma.turnExport.update({ where: { id: requested.id }, data: { state: 'failed' } });
  await again();
  await writeExport(gateway.prisma, requested.id, { most: 1_100 });
  expect(await ready(requested.id, 'viewer')).toMatchObject({ turns: 1_100, whole: false });
  expect((await fileOf(requested.id, 'viewer')).body).toHaveLength(1_100);
  await gateway.prisma.turnExport.delete({ where: { id: requested.id } });
  await writeExport(gateway.prisma, requested.id);
  expect(await gateway.prisma.turnExportPart.count({ where: { exportId: requested.id } })).toBe(0);
});
