import { newId } from '@callsmith/data/ids';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns } from '../test-turns.ts';

let gateway: TestGateway;
let modelId: string;
let keyId: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  modelId = (await gateway.prisma.model.findUniqueOrThrow({ where: { name: 'demo-native' } })).id;
  const issued = await gateway.send('POST', '/api/keys', {
    as: gateway.cookies.admin,
    body: { teamId: gateway.teams.own, holder: 'Ann' },
  });
  keyId = issued.body.key.id;
});
beforeEach(async () => {
  await gateway.prisma.$executeRaw`TRUNCATE turn, call, turn_body, failure_work, failure_visit`;
});
afterAll(() => gateway.stop());

type Who = 'admin' | 'editor' | 'viewer';
const HOUR = 3_600_000;

const failed = (given: Parameters<typeof failedTurn>[0] = {}) =>
  failedTurn({ modelId, teamId: gateway.teams.own, keyId, ...given });
const groups = async (who: Who, query = '') =>
  (await gateway.send('GET', `/api/failures/clusters?${query}`, { as: gateway.cookies[who] })).body;
const group = async (who: Who = 'editor') => (await groups(who)).items[0].group as string;
const states = async (who: Who, query = '') =>
  (await groups(who, query)).items.map(({ work }: { work: { state: string } }) => work.state);
const decide = (who: Who, body: object) =>
  gateway.send('PUT', '/api/failures/work', { as: gateway.cookies[who], body });
const story = (who: Who, query: string) =>
  gateway.send('GET', `/api/failures/story?${query}`, { as: gateway.cookies[who] });
const audited = async (action: string) =>
  gateway.prisma.audit.findFirstOrThrow({ where: { action }, orderBy: { id: 'desc' } });

it('a resolved group leaves the open ones, and is reopened, marked as returned, when it fails again', async () => {
  await recordTurns(gateway, [failed(), failed({ agoMs: 2 * HOUR })]);
  const text = await group();
  expect(await states('editor', 'state=open')).toEqual(['open']);
  expect((await decide('editor', { group: text, resolved: true })).body).toMatchObject({ state: 'resolved' });
  expect([await states('editor', 'state=open'), await states('editor', 'state=resolved')]).toEqual([[], ['resolved']]);
  // A request that was running when the group was resolved, and is recorded later, does not reopen it.
  await recordTurns(gateway, [failed({ agoMs: 5_000 })]);
  expect(await states('editor', 'state=open')).toEqual([]);
  await recordTurns(gateway, [failed({ agoMs: -500 })]);
  const to = new Date(Date.now() + HOUR).toISOString();
  expect(await states('editor', `state=open&to=${to}`)).toEqual(['regressed']);
  expect((await decide('editor', { group: text, resolved: false })).body.state).toBe('open');
  expect((await audited('failures.work')).after).toMatchObject({ model: 'demo-native', resolvedAt: null });
});

it('a muted group is open again when its time has passed, and one that is muted forever is not', async () => {
  await recordTurns(gateway, [failed()]);
  const text = await group();
  const until = new Date(Date.now() + HOUR).toISOString();
  expect((await decide('editor', { group: text, muted: { until } })).body).toMatchObject({
    state: 'muted',
    mutedUntil: until,
  });
  expect([await states('editor', 'state=open'), await states('editor', 'state=muted')]).toEqual([[], ['muted']]);
  await gateway.prisma.failureWork.updateMany({ data: { mutedUntil: new Date(Date.now() - 1_000) } });
  expect(await states('editor', 'state=open')).toEqual(['open']);
  await decide('editor', { group: text, muted: { until: null } });
  expect((await groups('editor')).items[0].work).toMatchObject({ state: 'muted', mutedUntil: null });
  expect((await decide('editor', { group: text, muted: null })).body.state).toBe('open');
  const past = await decide('editor', { group: text, muted: { until: '2020-01-01T00:00:00.000Z' } });
  expect([past.status, past.body.error.param]).toEqual([400, 'muted.until']);
});

it('a group is assigned to a user who sees its list, with a note, and found by its assignee', async () => {
  await recordTurns(gateway, [failed()]);
  const text = await group();
  const user = (email: string) => gateway.prisma.user.findUniqueOrThrow({ where: { email } });
  const [editor, admin] = [await user('editor@example.com'), await user('admin@callsmith.local')];
  const { body } = await decide('editor', { group: text, assigneeId: editor.id, note: ' Asked the vendor. ' });
  expect(body).toMatchObject({ assignee: { id: editor.id, email: editor.email }, note: 'Asked the vendor.' });
  expect(await states('editor', 'assignee=me')).toEqual(['open']);
  expect(await states('viewer', 'assignee=me')).toEqual([]);
  expect((await decide('editor', { group: text, assigneeId: admin.id })).body.error.param).toBe('assigneeId');
  expect((await decide('editor', { group: text, note: '', assigneeId: null })).body).toMatchObject({
    assignee: null,
    note: null,
  });
});

it('security 6, 29: lists of teams are separate, managed by their editors and by admins', async () => {
  await recordTurns(gateway, [failed(), failed({ teamId: gateway.teams.other, keyId: null })]);
  const { own, other } = gateway.teams;
  const text = await group();
  expect((await decide('viewer', { group: text, resolved: true })).status).toBe(403);
  expect((await decide('editor', { group: text, teamId: other, resolved: true })).status).toBe(404);
  expect((await story('editor', `group=${text}&teamId=${other}`)).status).toBe(404);
  await decide('admin', { group: text, resolved: true, note: 'Only for admins' });
  await decide('admin', { group: text, teamId: other, muted: { until: null } });
  expect([await states('admin'), await states('admin', `teamId=${other}`)]).toEqual([['resolved'], ['muted']]);
  expect([await states('viewer'), await states('admin', `teamId=${own}`)]).toEqual([['open'], ['open']]);
  expect(JSON.stringify((await story('editor', `group=${text}`)).body)).not.toContain('Only for admins');
  expect((await story('editor', `group=${text}`)).body.count).toBe(1);
  expect((await story('admin', `group=${text}`)).body.count).toBe(2);
  expect((await decide('editor', { group: 'nonsense', resolved: true })).status).toBe(400);
});

it('a group is new to a user who has not seen it in the week before their last visit; visits are per user', async () => {
  const { id: userId } = await gateway.prisma.user.findUniqueOrThrow({ where: { email: 'editor@example.com' } });
  await recordTurns(gateway, [failed({ agoMs: 30 * HOUR }), failed(), failed({ model: 'demo-prompt', modelId: null })]);
  const news = async (query = '') =>
    (await groups('editor', query)).items
      .map(({ model, isNew }: { model: string; isNew: boolean }) => [model, isNew])
      .sort();
  const both = (isNew: boolean) => [
    ['demo-native', false],
    ['demo-prompt', isNew],
  ];
  expect((await groups('editor')).lastVisit).toBeNull();
  expect(await news()).toEqual(both(false));
  const seenAt = new Date(Date.now() - HOUR);
  await gateway.prisma.failureVisit.update({ where: { userId }, data: { seenAt } });
  // The older one was seen before the range in view.
  expect(await news()).toEqual(both(true));
  expect((await groups('editor')).lastVisit).toBe(seenAt.toISOString());
  expect(await news('state=new')).toEqual([['demo-prompt', true]]);
  expect((await groups('viewer')).lastVisit).toBeNull();
});

it('its history shows since when, with which engines, clients and tools, and what was changed; one change is its fix', async () => {
  await recordTurns(gateway, [
    failed({ agoMs: 50 * HOUR, engineVersion: '0.10.0', client: 'kilo' }),
    failed({ agoMs: 2 * HOUR }),
    failed({ agoMs: HOUR }),
  ]);
  const text = await group();
  await gateway.send('PATCH', `/api/models/${modelId}`, {
    as: gateway.cookies.admin,
    body: { strategy: 'prompt', reason: 'try' },
  });
  const { body } = await story('editor', `group=${text}`);
  expect(body).toMatchObject({ count: 3, newest: null });
  const values = (list: { value: string; count: number }[]) => list.map(({ value, count }) => [value, count]);
  expect(values(body.engines)).toEqual([
    ['0.11.0', 2],
    ['0.10.0', 1],
  ]);
  expect(values(body.clients)).toEqual([
    ['cline', 2],
    ['kilo', 1],
  ]);
  expect(values(body.tools)).toEqual([['write_file', 3]]);
  expect(body.days.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(3);
  expect(body.people.map(({ email }: { email: string }) => email)).toEqual([
    'editor@example.com',
    'viewer@example.com',
  ]);
  expect((await story('viewer', `group=${text}`)).body.people).toEqual([]);
  expect(body.changes[0].what).toContain('strategy');
  expect((await decide('editor', { group: text, fixId: body.changes[0].id })).body.fixId).toBe(body.changes[0].id);
  expect((await decide('editor', { group: text, fixId: newId('aud') })).body.error.param).toBe('fixId');
  await gateway.send('PATCH', `/api/models/${modelId}`, {
    as: gateway.cookies.admin,
    body: { strategy: 'auto', reason: 'back' },
  });
});
