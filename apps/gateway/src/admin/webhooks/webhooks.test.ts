import { mailServer, receiver } from '@callsmith/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
let mails: Awaited<ReturnType<typeof mailServer>>;
let other: Awaited<ReturnType<typeof receiver>>;
beforeAll(async () => {
  mails = await mailServer('pass');
  gateway = await startTestGateway({ SMTP_URL: mails.url, SMTP_FROM: 'callsmith@example.com' });
  other = await receiver([204, 500]);
});
afterAll(async () => {
  await gateway.stop();
  await other.stop();
  await mails.stop();
});

const asAdmin = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  gateway.send(method, url, { as: gateway.cookies.admin, body });
const triggers = {
  failedRate: { share: 0.1, minutes: 15, calls: 30 },
  upstreamDown: { minutes: 5 },
  recordLost: true,
  budgetSpent: null,
  failureBudget: false,
  errorRate: null,
  slowFirstToken: null,
  noRequests: null,
  malformedRate: null,
  spend: null,
};
const narrow = {
  scope: { models: [], teams: [], clients: [] },
  quietHours: null,
  timeZone: 'UTC',
  weeklyDigest: false,
};

it('an admin adds a webhook, tests it, changes it and removes it; its secret is shown once', async () => {
  const added = await asAdmin('POST', '/api/webhooks', { name: 'Chat', url: other.url, triggers });
  expect(added.body).toEqual({
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    webhook: {
      id: expect.stringMatching(/^hook_/),
      name: 'Chat',
      origin: new URL(other.url).origin,
      format: 'standard',
      enabled: true,
      triggers,
      ...narrow,
      createdAt: expect.any(String),
      open: [],
      lastDelivery: null,
      managedBy: null,
    },
  });
  const { id } = added.body.webhook;
  expect((await asAdmin('POST', `/api/webhooks/${id}/test`)).body).toMatchObject({
    event: 'test',
    state: 'delivered',
    status: 204,
    problem: null,
  });
  const failed = (await asAdmin('POST', `/api/webhooks/${id}/test`)).body;
  expect(failed).toMatchObject({ state: 'given-up', status: 500, problem: 'it answers 500', tries: 1 });
  expect(other.got).toHaveLength(2);
  await asAdmin('PATCH', `/api/webhooks/${id}`, { format: 'slack' });
  const changed = await asAdmin('PATCH', `/api/webhooks/${id}`, { enabled: false });
  expect(changed.body).toMatchObject({ enabled: false, format: 'slack', triggers, lastDelivery: failed });
  const listed = (await asAdmin('GET', '/api/webhooks')).body;
  expect(listed.items).toEqual([changed.body]);
  expect(JSON.stringify([listed, failed])).not.toMatch(/whsec_|T0KEN|a secret of the receiver/);
  expect((await asAdmin('DELETE', `/api/webhooks/${id}`)).status).toBe(200);
  expect((await asAdmin('GET', '/api/webhooks')).body.items).toEqual([]);
  const audit = (await asAdmin('GET', '/api/audit?targetKind=webhook')).body.items;
  expect(audit.map(({ action }: { action: string }) => action)).toEqual([
    'webhook.remove',
    'webhook.change',
    'webhook.change',
    'webhook.add',
  ]);
  expect(JSON.stringify(audit)).not.toMatch(/whsec_|T0KEN/);
});

it.each([
  'http://169.254.169.254/x',
  'http://[fe80::1]/x',
  'file:///etc/passwd',
  'http://a:b@example.com/x',
  'nothing',
])('security 11, 12: %s is refused when it is added and when it is changed', async (url) => {
  const given = { name: `bad ${url}`, url, triggers };
  const refused = await asAdmin('POST', '/api/webhooks', given);
  expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
    400,
    'upstream_address_refused',
    'url',
  ]);
  const added = await asAdmin('POST', '/api/webhooks', { ...given, url: other.url });
  const moved = await asAdmin('PATCH', `/api/webhooks/${added.body.webhook.id}`, { url });
  expect(moved.body.error.code).toBe('upstream_address_refused');
});

it('names are unique, and invalid values are reported by field', async () => {
  const given = { name: 'One', url: other.url, triggers };
  await asAdmin('POST', '/api/webhooks', given);
  expect((await asAdmin('POST', '/api/webhooks', given)).body.error).toMatchObject({ code: 'conflict', param: 'name' });
  const wrong = { ...triggers, failedRate: { share: 7, minutes: 1, calls: 0 } };
  const { body } = await asAdmin('POST', '/api/webhooks', { ...given, name: 'Two', triggers: wrong });
  expect(body.error.fields.map(({ path }: { path: string }) => path)).toEqual([
    'triggers.failedRate.share',
    'triggers.failedRate.minutes',
    'triggers.failedRate.calls',
  ]);
});

it('an address whose path or query is a secret of its own is accepted', async () => {
  const url = `${other.url}?token=abc&key=def`;
  const added = await asAdmin('POST', '/api/webhooks', { name: 'With a token', url, triggers });
  expect(added.body.webhook).toMatchObject({ name: 'With a token', origin: new URL(other.url).origin });
  expect((await asAdmin('POST', `/api/webhooks/${added.body.webhook.id}/test`)).body.event).toBe('test');
});

it('an admin limits alerts to models, teams and clients, and sets quiet hours', async () => {
  const added = await asAdmin('POST', '/api/webhooks', { name: 'At night', url: other.url, triggers });
  const path = `/api/webhooks/${added.body.webhook.id}`;
  const [team] = (await asAdmin('GET', '/api/teams')).body.items;
  const scope = { models: [], teams: [team.id], clients: ['cline'] };
  const quietHours = { from: '22:30', to: '06:00' };
  const changed = await asAdmin('PATCH', path, { scope, quietHours, timeZone: 'Europe/Zurich' });
  expect(changed.body).toMatchObject({ scope, quietHours, timeZone: 'Europe/Zurich' });
  expect((await asAdmin('PATCH', path, { quietHours: null })).body).toMatchObject({ scope, quietHours: null });
});

it.each([
  [{ scope: { models: ['model_none'] } }, 'scope.models.0'],
  [{ scope: { teams: ['default'] } }, 'scope.teams.0'],
  [{ quietHours: { from: '24:00', to: '06:00' } }, 'quietHours.from'],
  [{ quietHours: { from: '06:00', to: '06:00' } }, 'quietHours.to'],
  [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
])('invalid limits of an alert are reported by field: %j', async (given, field) => {
  const added = await asAdmin('POST', '/api/webhooks', { name: `No ${field}`, url: other.url, triggers });
  const refused = await asAdmin('PATCH', `/api/webhooks/${added.body.webhook.id}`, given);
  expect([refused.status, refused.body.error.fields[0].path]).toEqual([400, field]);
});

it('an admin has alerts sent by e-mail, tests it, and gets a weekly digest', async () => {
  const given = { name: 'Mail', url: 'mailto:on-call@example.com', format: 'email', triggers, weeklyDigest: true };
  const added = await asAdmin('POST', '/api/webhooks', given);
  expect(added.body.webhook).toMatchObject({ origin: 'on-call@example.com', format: 'email', weeklyDigest: true });
  const path = `/api/webhooks/${added.body.webhook.id}`;
  expect((await asAdmin('POST', `${path}/test`)).body).toMatchObject({ state: 'delivered', status: 250 });
  expect(mails.got).toMatchObject([{ to: ['on-call@example.com'] }]);
  for (const [wrong, field] of [
    [{ url: 'mailto:a@example.com,b@example.com' }, 'url'],
    [{ url: other.url }, 'url'],
    [{ format: 'slack' }, 'url'],
  ] as const) {
    const refused = await asAdmin('PATCH', path, wrong);
    expect([refused.status, refused.body.error.param]).toEqual([400, field]);
  }
  expect((await asAdmin('PATCH', path, { format: 'slack', url: other.url })).body.origin).toBe(
    new URL(other.url).origin,
  );
});
