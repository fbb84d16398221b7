import type { AlertFormat, AlertScope, AlertTriggers } from '@callsmith/contracts';
import { mailServer, receiver, testDatabase } from '@callsmith/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createPrisma, type PrismaService } from '../database/prisma.ts';
import { newId } from '../ids.ts';
import { PostgresLimits } from '../limits/postgres-limits.ts';
import { PostgresRecorder } from '../record/postgres-recorder.ts';
import { failedTurn, testTurn } from '../record/test-turns.ts';
import type { TurnRecord } from '../record/turn-record.ts';
import { rollUp } from '../rollup/roll-up.ts';
import { DEFAULT_SETTINGS } from '../settings/installation-settings.ts';
import type { AlertMessage } from './alert.ts';
import { Alerts } from './alerts.ts';
import { signatureOf } from './send.ts';
import { newWebhookSecret, sealedWebhook } from './webhooks.ts';

const SECRET = 'alerts-test-secret-key-0123456789abcdef';
const NOTHING: AlertTriggers = {
  failedRate: null,
  malformedRate: null,
  failureBudget: false,
  errorRate: null,
  slowFirstToken: null,
  noRequests: null,
  upstreamDown: null,
  recordLost: false,
  budgetSpent: null,
  spend: null,
};

let database: Awaited<ReturnType<typeof testDatabase>>;
let prisma: PrismaService;
let gateways: readonly [Alerts, Alerts];
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma(database.url, 4);
  const options = { secretKey: SECRET, currency: 'EUR', publicUrl: 'https://tools.example' };
  const gateway = () => new Alerts(prisma, new PostgresLimits(prisma, newId('lease')), options);
  gateways = [gateway(), gateway()];
  await prisma.team.create({ data: { id: 'team_1', name: 'one' } });
  await prisma.model.create({ data: { id: 'model_1', name: 'qwen' } });
});
afterEach(async () => {
  await prisma.webhook.deleteMany();
  await prisma.recordLoss.deleteMany();
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.stop();
});

/** A webhook at a receiver. */
async function hook(
  triggers: Partial<AlertTriggers>,
  answers: Parameters<typeof receiver>[0] = [],
  format: AlertFormat = 'standard',
) {
  const other = await receiver(answers);
  ends.push(other.stop);
  const secret = newWebhookSecret();
  const place = sealedWebhook(SECRET, { url: other.url, secret });
  const id = newId('hook');
  await prisma.webhook.create({ data: { id, name: id, format, ...place, triggers: { ...NOTHING, ...triggers } } });
  return { id, secret, got: other.got };
}

async function write(turns: readonly TurnRecord[], capacity = 1_000): Promise<void> {
  const recorder = new PostgresRecorder({
    databaseUrl: database.url,
    productVersion: '1',
    settings: () => DEFAULT_SETTINGS,
    gatherMs: 20,
    capacity,
  });
  for (const turn of turns) recorder.add(turn);
  for (let n = 0; recorder.state.queued > 0 && n < 500; n++) await new Promise((done) => setTimeout(done, 10));
  await recorder.stop();
}

/** Both gateways evaluate at the same time and send all pending deliveries. */
async function round(now = new Date()): Promise<void> {
  await Promise.all(
    gateways.map(async (gateway) => {
      for (const id of await gateway.watch(now)) await gateway.deliver(id, 3).catch(() => {});
    }),
  );
}

const messages = (got: readonly { body: string }[]) => got.map(({ body }) => JSON.parse(body) as AlertMessage);

it('a failed rate over its threshold is reported once when it begins and once when it ends', async () => {
  const { got } = await hook({ failedRate: { share: 0.2, minutes: 15, calls: 10 } });
  await write(
    Array.from({ length: 9 }, (_, n) =>
      n % 3 === 0 ? { ...failedTurn(), outcome: 'invalid' as const } : failedTurn(),
    ),
  );
  await round();
  expect(got).toEqual([]); // too few for a conclusion
  await write([testTurn(), testTurn(), testTurn()]);
  for (let n = 0; n < 3; n++) await round();
  expect(messages(got)).toEqual([
    {
      id: expect.stringMatching(/^dlv_/),
      at: expect.any(String),
      event: 'began',
      trigger: 'failed-rate',
      about: { id: 'model_1', name: 'qwen' },
      say: '75 % of 12 requests with tool calls of qwen failed or were invalid in the last 15 min.',
      link: 'https://tools.example/models/model_1',
    },
  ]);
  await round(new Date(Date.now() + 20 * 60_000));
  expect(messages(got)[1]).toMatchObject({ event: 'ended', trigger: 'failed-rate', about: { name: 'qwen' } });
  await round(new Date(Date.now() + 20 * 60_000));
  expect(got).toHaveLength(2);
});

it('a failure budget that is used up too fast is reported once, by the model’s own budget', async () => {
  const { got } = await hook({ failureBudget: true });
  const settings = { failureBudget: { value: 15, source: 'declared' } };
  await prisma.model.create({ data: { id: 'model_2', name: 'lenient', settings } });
  const turns = (modelId: string, at: Date) =>
    Array.from({ length: 40 }, (_, n) =>
      n % 4 === 0 ? failedTurn({ modelId, at, outcome: 'invalid' }) : testTurn({ modelId, at }),
    );
  const later = new Date(Date.now() + 3 * 3_600_000); // no other turns within the hour
  await write([...turns('model_1', later), ...turns('model_2', later)]);
  const after = (minutes: number) => new Date(later.getTime() + minutes * 60_000);
  await round(after(1));
  await round(after(2));
  expect(messages(got).map(({ event, trigger, about }) => [event, trigger, about?.name])).toEqual([
    ['began', 'failure-budget', 'qwen'],
  ]);
  expect(messages(got)[0]?.say).toMatch(
    /^25 % of 40 requests with tool calls of qwen failed or were invalid in the last hour: 12\.5 times its failure budget of 2 %\. Over 30 days it is \d+\.\d %\.$/,
  );
  await round(after(400));
  expect(messages(got).map(({ event }) => event)).toEqual(['began', 'ended']);
});

it('a model whose strategy was changed because of its failure budget is reported, a change by auto is not', async () => {
  const { got } = await hook({ failureBudget: true });
  const later = new Date(Date.now() + 3 * 3_600_000);
  await prisma.upstream.create({ data: { id: 'up_moved', name: 'moved', baseUrl: 'http://127.0.0.1:9/v1' } });
  for (const [id, value] of [
    ['model_switches', true],
    ['model_auto', false],
  ] as const) {
    const settings = { switchWhenUsedUp: { value, source: 'declared' } };
    await prisma.model.create({ data: { id, name: id, settings } });
    await write([testTurn({ modelId: id, at: later })]);
    await prisma.learned.create({
      data: {
        ...{
          modelId: id,
          upstreamId: 'up_moved',
          what: 'strategy',
          value: 'prompt:hermes',
          reason: '7 of 100 failed.',
        },
        ...{ at: later, expiresAt: new Date(later.getTime() + 86_400_000) },
      },
    });
  }
  await round(new Date(later.getTime() + 60_000));
  expect(messages(got).filter(({ about }) => about?.name.startsWith('model_'))).toMatchObject([
    {
      event: 'began',
      trigger: 'failure-budget',
      say: 'model_switches: It was moved to another strategy. 7 of 100 failed.',
    },
  ]);
});

it('an upstream that stays silent, and one that only failed briefly', async () => {
  const { got } = await hook({ upstreamDown: { minutes: 5 } });
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  for (const name of ['gone', 'stumbled'])
    await prisma.upstream.create({ data: { id: `up_${name}`, name, baseUrl: 'http://127.0.0.1:9/v1' } });
  const look = (upstreamId: string, minutes: number, ok: boolean) => ({ upstreamId, at: ago(minutes), ok });
  await prisma.upstreamHealth.createMany({
    data: [
      look('up_gone', 9, true),
      look('up_gone', 8, false),
      look('up_gone', 1, false),
      look('up_stumbled', 8, false),
      look('up_stumbled', 3, true),
      look('up_stumbled', 1, false),
    ],
  });
  await round();
  expect(messages(got).map(({ event, about }) => [event, about?.name])).toEqual([['began', 'gone']]);
  await prisma.upstreamHealth.create({ data: look('up_gone', 0, true) });
  await round();
  expect(messages(got).map(({ event }) => event)).toEqual(['began', 'ended']);
});

it('unrecorded turns, whichever gateway lost them', async () => {
  const { got } = await hook({ recordLost: true });
  await write(
    Array.from({ length: 25 }, () => testTurn()),
    20,
  );
  await round();
  expect(messages(got)).toMatchObject([
    { trigger: 'record-lost', say: '5 requests could not be recorded in the last 15 min.' },
  ]);
});

it('a nearly spent budget', async () => {
  const { got } = await hook({ budgetSpent: { share: 0.8 } });
  const limits = new PostgresLimits(prisma, 'gateway');
  for (const [id, used] of [
    ['key_near', 850],
    ['key_far', 700],
  ] as const) {
    await prisma.apiKey.create({
      data: { id, teamId: 'team_1', holder: id, hash: id, hint: '…1', tokenBudget: 1_000n, budgetPeriod: 'month' },
    });
    await limits.lease(`budget:${id}`, 'month', used, 1_000);
  }
  await round();
  expect(messages(got)).toMatchObject([
    { about: { id: 'key_near' }, say: 'The key of key_near (…1) has used 85 % of its 1000 tokens for this month.' },
  ]);
});

it('security 4: a message is signed, and keeps its id over retries', async () => {
  const { id, secret, got } = await hook({}, [500, 503]);
  const [gateway] = gateways;
  const delivery = await gateway.test(id);
  const state = () => prisma.alertDelivery.findUniqueOrThrow({ where: { id: delivery } });
  expect(await state()).toMatchObject({ status: 500, problem: 'it answers 500', tries: 1 });
  expect((await state()).givenUpAt).not.toBeNull(); // a test is sent once
  await prisma.alertDelivery.update({ where: { id: delivery }, data: { givenUpAt: null } });
  await expect(gateway.deliver(delivery, 5)).rejects.toThrow('it answers 503');
  await gateway.deliver(delivery, 5);
  await gateway.deliver(delivery, 5);
  expect(await state()).toMatchObject({ status: 204, problem: null, tries: 3, givenUpAt: null });
  expect(got).toHaveLength(3);
  for (const { headers, body } of got) {
    expect(headers['webhook-id']).toBe(delivery);
    const timestamp = String(headers['webhook-timestamp']);
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(10);
    expect(headers['webhook-signature']).toBe(`v1,${signatureOf({ id: delivery, secret, body }, timestamp)}`);
  }
});

it('security 11: redirects are not followed, and addresses are checked when connecting', async () => {
  const elsewhere = await receiver();
  ends.push(elsewhere.stop);
  const { id } = await hook({}, [{ status: 302, headers: { location: elsewhere.url } }]);
  const redirected = await gateways[0].test(id);
  expect(elsewhere.got).toEqual([]);
  expect(await prisma.alertDelivery.findUniqueOrThrow({ where: { id: redirected } })).toMatchObject({
    status: 302,
    problem: 'it redirects (302), and redirects are not followed',
  });
  // As if a name had just been pointed there.
  const place = sealedWebhook(SECRET, { url: 'http://169.254.169.254/latest', secret: newWebhookSecret() });
  await prisma.webhook.update({ where: { id }, data: place });
  const refused = await gateways[0].test(id);
  const row = await prisma.alertDelivery.findUniqueOrThrow({ where: { id: refused } });
  expect(row.status).toBeNull();
  expect(row.problem).toContain('link-local or metadata address');
});

it('security 19: neither the path of a webhook nor its secret is readable in the tables', async () => {
  const { id, secret } = await hook({});
  await gateways[0].test(id);
  const rows = JSON.stringify([await prisma.webhook.findMany(), await prisma.alertDelivery.findMany()]);
  expect(rows).not.toContain('T0KEN-in-the-path');
  expect(rows).not.toContain(secret);
  expect(rows).not.toContain('a secret of the receiver');
});

it('undeliverable messages are given up, and unsent ones expire', async () => {
  const { id } = await hook({ recordLost: true }, [500, 500, 500, 500]);
  await prisma.recordLoss.create({ data: { id: newId('loss'), turns: 1 } });
  const [delivery = ''] = await gateways[0].watch();
  for (let n = 0; n < 3; n++) await gateways[0].deliver(delivery, 3).catch(() => {});
  expect(await gateways[0].watch()).toEqual([]);
  await prisma.openAlert.deleteMany();
  expect(await gateways[0].watch()).toHaveLength(1);
  expect(await gateways[0].watch(new Date(Date.now() + 2 * 3_600_000))).toHaveLength(1); // the end of the alert
  expect(await prisma.alertDelivery.count({ where: { webhookId: id, givenUpAt: { not: null } } })).toBe(2);
});

it('Slack gets its own format, when an alert begins and when it ends', async () => {
  const { got } = await hook({ recordLost: true }, [], 'slack');
  await prisma.recordLoss.create({ data: { id: newId('loss'), turns: 3 } });
  await round();
  await round(new Date(Date.now() + 20 * 60_000));
  expect(got.map(({ body }) => JSON.parse(body))).toEqual([
    {
      text: ':red_circle: 3 requests could not be recorded in the last 15 min.\n<https://tools.example/settings|Open Callsmith>',
    },
    { text: expect.stringMatching(/^:large_green_circle: Over: record-lost of record, since /) },
  ]);
});

it('errors, late first tokens and missing requests of a model are reported, and their end', async () => {
  const { got } = await hook({
    errorRate: { share: 0.5, minutes: 5, requests: 10 },
    slowFirstToken: { seconds: 30, minutes: 5, requests: 10 },
    noRequests: { minutes: 10 },
  });
  const at = new Date(Date.now() + 10 * 3_600_000); // no other turns within the hour
  const after = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
  await prisma.model.create({ data: { id: 'model_3', name: 'tired' } });
  const late = { modelId: 'model_3', at, firstTokenMs: 90_000 };
  await write([
    ...Array.from({ length: 6 }, () =>
      testTurn({ ...late, status: 502, errorCode: 'upstream_error', errorOrigin: 'upstream' }),
    ),
    ...Array.from({ length: 5 }, () => testTurn(late)),
    ...Array.from({ length: 9 }, () => testTurn({ modelId: 'model_1', at, status: 502, errorCode: 'upstream_error' })),
  ]);
  await round(after(1));
  expect(
    messages(got)
      .map(({ event, trigger, about, link }) => [event, trigger, about?.name, link])
      .toSorted(),
  ).toEqual([
    ['began', 'error-rate', 'tired', 'https://tools.example/models/model_3'],
    ['began', 'slow-first-token', 'tired', 'https://tools.example/models/model_3'],
  ]);
  expect(messages(got).find(({ trigger }) => trigger === 'error-rate')?.say).toBe(
    '54 % of 11 requests to tired ended in an error in the last 5 min.',
  );
  await round(after(15));
  expect(messages(got).map(({ event, trigger }) => `${event} ${trigger}`)).toEqual(
    expect.arrayContaining(['ended error-rate', 'ended slow-first-token', 'began no-requests']),
  );
  await write([testTurn({ modelId: 'model_1', at: after(16) })]);
  await round(after(17));
  expect(messages(got).at(-1)).toMatchObject({ event: 'ended', trigger: 'no-requests' });
});

/** Limits a webhook's alerts. */
const narrow = (id: string, scope: Partial<AlertScope>) =>
  prisma.webhook.update({ where: { id }, data: { scope: { models: [], teams: [], clients: [], ...scope } } });

it('malformed calls and spend are reported, each over its own threshold', async () => {
  const { got } = await hook({
    malformedRate: { share: 0.5, minutes: 5, calls: 10 },
    spend: { amount: 12, hours: 1 },
  });
  const at = new Date(Date.now() + 20 * 3_600_000); // no other turns within the hour
  const after = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
  await prisma.model.create({ data: { id: 'model_bent', name: 'bent' } });
  const turn = { modelId: 'model_bent', at, spend: 1_500_000 };
  await write([
    ...Array.from({ length: 3 }, () => testTurn(turn)),
    ...Array.from({ length: 4 }, () => testTurn({ ...turn, outcome: 'repaired' })),
  ]);
  await round(after(1));
  expect(got).toEqual([]); // too few requests, and 10.50 spent
  await write(Array.from({ length: 3 }, () => testTurn({ ...turn, outcome: 'invalid' })));
  await round(after(1));
  await round(after(2));
  expect(
    messages(got)
      .map(({ event, trigger, say, link }) => [event, trigger, say, link])
      .toSorted(),
  ).toEqual([
    [
      'began',
      'malformed-rate',
      '70 % of 10 requests with tool calls of bent had malformed calls in the last 5 min.',
      'https://tools.example/models/model_bent',
    ],
    [
      'began',
      'spend',
      '15.00 EUR were spent in the last 1 h; the limit of the alert is 12.00 EUR.',
      'https://tools.example/usage',
    ],
  ]);
  await round(after(90));
  expect(messages(got).map(({ event }) => event)).toEqual(['began', 'began', 'ended', 'ended']);
});

it.each<[string, Partial<AlertScope>, expected: boolean]>([
  ['its model', { models: ['model_other', 'model_narrow'] }, true],
  ['another model', { models: ['model_1'] }, false],
  ['its team', { teams: ['team_1'] }, true],
  ['another team', { teams: ['team_narrow'] }, false],
  ['its client', { clients: ['cline'] }, true],
  ['another client', { clients: ['codex'] }, false],
  ['its model of another team', { models: ['model_narrow'], teams: ['team_narrow'] }, false],
])('alerts are limited: %s', async (_, scope, expected) => {
  const at = new Date(Date.now() + 30 * 3_600_000); // no other turns within the hour
  const given = { modelId: 'model_narrow', client: 'cline', at };
  await prisma.model.upsert({
    where: { id: 'model_narrow' },
    create: { id: 'model_narrow', name: 'narrow' },
    update: {},
  });
  await write(Array.from({ length: 10 }, () => failedTurn(given)));
  const { id, got } = await hook({
    failedRate: { share: 0.1, minutes: 5, calls: 10 },
    errorRate: { share: 0.1, minutes: 5, requests: 10 },
    failureBudget: true,
  });
  await narrow(id, scope);
  await round(new Date(at.getTime() + 60_000));
  expect(messages(got).some(({ about }) => about?.name === 'narrow')).toBe(expected);
});

it('a silent upstream is reported to alerts on a model that is routed to it', async () => {
  const aboutMine = await hook({ upstreamDown: { minutes: 5 } });
  const aboutOthers = await hook({ upstreamDown: { minutes: 5 } });
  await prisma.upstream.create({ data: { id: 'up_mine', name: 'mine', baseUrl: 'http://127.0.0.1:9/v1' } });
  const routed = { upstreams: { create: { upstreamId: 'up_mine', upstreamModel: 'x' } } };
  await prisma.model.create({ data: { id: 'model_mine', name: 'of mine', ...routed } });
  await prisma.upstreamHealth.create({
    data: { upstreamId: 'up_mine', at: new Date(Date.now() - 600_000), ok: false },
  });
  await narrow(aboutMine.id, { models: ['model_mine'] });
  await narrow(aboutOthers.id, { models: ['model_1'] });
  await round();
  expect(messages(aboutMine.got).map(({ about }) => about?.name)).toEqual(['mine']);
  expect(aboutOthers.got).toEqual([]);
});

it('an alert goes to an e-mail address, is retried, and its end is reported; its id stays the same', async () => {
  const mails = await mailServer('pass', [451]);
  ends.push(mails.stop);
  const options = { secretKey: SECRET, currency: 'EUR', publicUrl: 'https://tools.example' };
  const gateway = (mail?: { url: string; from: string }) =>
    new Alerts(prisma, new PostgresLimits(prisma, newId('lease')), { ...options, mail });
  const place = sealedWebhook(SECRET, { url: 'mailto:on-call@example.com', secret: newWebhookSecret() });
  expect(place.url).toBe('on-call@example.com');
  const id = newId('hook');
  const triggers = { ...NOTHING, recordLost: true };
  await prisma.webhook.create({ data: { id, name: id, format: 'email', ...place, triggers } });
  await prisma.recordLoss.create({ data: { id: newId('loss'), turns: 3 } });
  const [delivery = ''] = await gateway().watch();
  await expect(gateway().deliver(delivery, 9)).rejects.toThrow('this gateway has no mail server (SMTP_URL)');
  const mailing = gateway({ url: mails.url, from: 'callsmith@example.com' });
  await expect(mailing.deliver(delivery, 9)).rejects.toThrow('the mail server answers 451');
  await mailing.deliver(delivery, 9);
  await mailing.deliver(delivery, 9);
  for (const over of await mailing.watch(new Date(Date.now() + 20 * 60_000))) await mailing.deliver(over, 3);
  expect(mails.got.map(({ to }) => to)).toEqual([['on-call@example.com'], ['on-call@example.com']]);
  const [began = '', ended = ''] = mails.got.map(({ source }) => source);
  expect(began).toContain(`Message-ID: <${delivery}@example.com>`);
  expect(began).toContain('Subject: [Callsmith] Alert: record-lost of record');
  expect(began).toContain('3 requests could not be recorded in the last 15 min.');
  expect(began).toContain('https://tools.example/settings');
  expect(ended).toContain('Subject: [Callsmith] Over: record-lost of record');
});

it('the weekly digest is written once on Monday, whichever gateways run, with the alert’s limits', async () => {
  const { id, got } = await hook({});
  await prisma.model.create({ data: { id: 'model_week', name: 'of the week' } });
  // The last one: days since 1970, which began on a Thursday.
  const days = Math.floor((Date.now() - 8 * 3_600_000) / 86_400_000);
  const monday = new Date((days - ((days + 3) % 7)) * 86_400_000 + 8 * 3_600_000);
  const ago = (days: number) => new Date(monday.getTime() - days * 86_400_000);
  const turn = (before: number) => ({ modelId: 'model_week', teamId: 'team_1', at: ago(before), spend: 250_000 });
  await write([
    ...Array.from({ length: 6 }, () => testTurn(turn(2))),
    ...Array.from({ length: 2 }, () => failedTurn({ ...turn(3), outcome: 'invalid' })),
    testTurn(turn(9)),
    testTurn({ ...turn(2), modelId: 'model_1' }),
  ]);
  // Requests that are written a day late are not rolled up automatically.
  await prisma.$executeRaw`
    INSERT INTO rollup_mark (grain, bucket)
    SELECT DISTINCT grain, date_trunc(grain, at) FROM turn, unnest(ARRAY['hour', 'minute']) AS grain
    ON CONFLICT DO NOTHING`;
  await rollUp(prisma);
  await narrow(id, { models: ['model_week'] });
  await prisma.webhook.update({ where: { id }, data: { weeklyDigest: true, digestAt: ago(4) } });
  await round(new Date(monday.getTime() - 1_000));
  expect(got).toEqual([]);
  await round(monday);
  await round(new Date(monday.getTime() + 3_600_000));
  expect(messages(got)).toMatchObject([
    { event: 'digest', trigger: null, about: null, link: 'https://tools.example/' },
  ]);
  expect(messages(got)[0]?.say.split('\n')).toEqual([
    `The last seven days, to ${monday.toISOString().slice(0, 10)} 08:00 UTC:`,
    '',
    'Requests: 8 (the week before: 1)',
    'Requests with tool calls: 8 (the week before: 1)',
    'Malformed: 25.0 % (the week before: 0.0 %)',
    'Failed or invalid: 25.0 % (the week before: 0.0 %)',
    'Errors: 0.0 % (the week before: 0.0 %)',
    'Spend: 2.00 EUR (the week before: 0.25 EUR)',
    '',
    'Models with the most failed or invalid calls:',
    '- of the week: 2 of 8 (25.0 %)',
  ]);
});

it('nothing is sent in quiet hours; what still fails when they end is reported then, what came and went is not', async () => {
  const { id, got } = await hook({ recordLost: true });
  const night = { quietHours: { from: '22:00', to: '07:00' }, timeZone: 'UTC' };
  await prisma.webhook.update({ where: { id }, data: night });
  const lose = (at: string) => prisma.recordLoss.create({ data: { id: newId('loss'), at: new Date(at), turns: 2 } });
  await lose('2027-01-10T23:00:00Z');
  await round(new Date('2027-01-10T23:01:00Z'));
  await round(new Date('2027-01-11T07:00:00Z'));
  expect(got).toEqual([]);
  await prisma.recordLoss.deleteMany();
  await lose('2027-01-12T06:55:00Z');
  await round(new Date('2027-01-12T06:56:00Z'));
  expect(got).toEqual([]);
  await round(new Date('2027-01-12T07:00:30Z'));
  expect(messages(got)).toMatchObject([{ event: 'began', trigger: 'record-lost' }]);
});
