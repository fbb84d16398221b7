import { Alerts, newWebhookSecret, sealedWebhook } from '@callsmith/data/alerts';
import { createPrisma, type PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import { PostgresLimits } from '@callsmith/data/limits';
import { NEEDS_REDIS, receiver, testDatabase, testRedis } from '@callsmith/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeliverAlertHandler } from './handlers/deliver-alert.handler.ts';
import { WatchAlertsHandler } from './handlers/watch-alerts.handler.ts';
import { handlersOf, type JobHandler } from './job.ts';
import { deliverAlert } from './jobs/deliver-alert.ts';
import { watchAlerts } from './jobs/watch-alerts.ts';
import { BullmqRunner } from './runners/bullmq.ts';

const SECRET = 'alert-jobs-test-secret-key-0123456789';

let database: Awaited<ReturnType<typeof testDatabase>>;
let prisma: PrismaService;
beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma(database.url, 4);
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.stop();
});

const queues: [name: string, redisUrl: string | undefined, skip: boolean][] = [
  ['Postgres', undefined, false],
  [testRedis() ? 'Redis' : `Redis: ${NEEDS_REDIS}`, testRedis(), testRedis() === undefined],
];

describe.each(queues)('alerts by jobs on %s', (name, redisUrl, skip) => {
  it.skipIf(skip)('are delivered once by two gateways, after failures too', async () => {
    const other = await receiver([500, 502]);
    const place = sealedWebhook(SECRET, { url: other.url, secret: newWebhookSecret() });
    const triggers = {
      failedRate: null,
      failureBudget: false,
      errorRate: null,
      slowFirstToken: null,
      noRequests: null,
      upstreamDown: null,
      recordLost: true,
      budgetSpent: null,
    };
    const webhookId = newId('hook');
    await prisma.webhook.create({ data: { id: webhookId, name: webhookId, ...place, triggers } });
    await prisma.recordLoss.create({ data: { id: newId('loss'), turns: 3 } });
    const gateway = async () => {
      const runner = new BullmqRunner({
        databaseUrl: database.url,
        redisUrl,
        queue: `alerts-${name.slice(0, 5)}-${process.pid}`,
        done: () => {},
        onError: () => {},
        pause: () => 50,
      });
      const alerts = new Alerts(prisma, new PostgresLimits(prisma, newId('lease')), {
        secretKey: SECRET,
        currency: 'EUR',
      });
      const handlers = [new WatchAlertsHandler(alerts, runner), new DeliverAlertHandler(alerts)] as JobHandler[];
      await runner.work(handlersOf([watchAlerts, deliverAlert], handlers));
      return runner;
    };
    const gateways = await Promise.all([gateway(), gateway()]);
    const look = async () => {
      await Promise.all(gateways.map((runner) => runner.add(watchAlerts, {})));
      await new Promise((done) => setTimeout(done, 150));
    };
    const delivered = () => prisma.alertDelivery.findFirst({ where: { webhookId, deliveredAt: { not: null } } });
    for (let tries = 0; !(await delivered()); tries++) {
      if (tries > 60) throw new Error('not delivered');
      await look();
    }
    for (let n = 0; n < 3; n++) await look();
    await Promise.all(gateways.map((runner) => runner.stop()));
    await other.stop();
    await prisma.webhook.delete({ where: { id: webhookId } });
    await prisma.recordLoss.deleteMany();
    expect(other.got.map(({ headers }) => headers['webhook-id'])).toHaveLength(3);
    expect(new Set(other.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(JSON.parse(other.got[2]!.body)).toMatchObject({ event: 'began', trigger: 'record-lost' });
  });
});
