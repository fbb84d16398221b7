import type { AlertScope, AlertTrigger, AlertTriggers, QuietHours } from '@callsmith/contracts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import type { Alert, AlertMessage } from './alert.ts';
import { activeAlerts } from './conditions.ts';
import { digestIsDue, digestText } from './digest.ts';
import { isQuiet } from './quiet-hours.ts';

/** An undelivered message expires after this time. */
const STALE_MS = 3_600_000;

/** The inputs of an evaluation. */
interface Watch {
  readonly limits: LimitStore;
  /** ISO 4217, of prices. */
  readonly currency: string;
  readonly now: Date;
}

/**
 * Evaluates the triggers of every webhook, records what started and ended, each once whichever gateways run, and
 * returns the ids of all pending deliveries. In a webhook's quiet hours its triggers are not evaluated: what is still
 * wrong, or has ended, when they end is reported then.
 */
export async function watchAlerts(prisma: PrismaService, { limits, currency, now }: Watch): Promise<string[]> {
  const hooks = await prisma.webhook.findMany({ where: { enabled: true } });
  for (const hook of hooks) {
    const { id, triggers, scope, quietHours, timeZone } = hook;
    if (isQuiet(quietHours as QuietHours | null, timeZone, now)) continue;
    const openBudgetAlerts = await prisma.openAlert.findMany({ where: { webhookId: id, trigger: 'failure-budget' } });
    const burning = new Set(openBudgetAlerts.map(({ aboutId }) => aboutId));
    const hookSettings = { triggers: triggers as AlertTriggers, scope: scope as unknown as AlertScope };
    const alerts = await activeAlerts(prisma, limits, { ...hookSettings, burning, currency, now });
    await prisma.$transaction((tables) => note(tables, { webhookId: id, alerts, now }));
    if (hook.weeklyDigest && digestIsDue(hook.digestAt ?? hook.createdAt, now, timeZone))
      await addDigest(prisma, hook, {
        say: await digestText(prisma, { scope: hookSettings.scope, currency, now }),
        now,
      });
  }
  const open = { deliveredAt: null, givenUpAt: null };
  const stale = { at: { lt: new Date(now.getTime() - STALE_MS) } };
  await prisma.alertDelivery.updateMany({ where: { ...open, ...stale }, data: { givenUpAt: now } });
  const waiting = await prisma.alertDelivery.findMany({
    where: { ...open, webhook: { enabled: true } },
    select: { id: true },
    orderBy: { at: 'asc' },
    take: 1_000,
  });
  return waiting.map(({ id }) => id);
}

/** Records a summary, unless another gateway did so since the webhook was read. */
async function addDigest(
  prisma: PrismaService,
  { id, digestAt }: { readonly id: string; readonly digestAt: Date | null },
  { say, now }: { readonly say: string; readonly now: Date },
): Promise<void> {
  await prisma.$transaction(async (tables) => {
    const { count } = await tables.webhook.updateMany({ where: { id, digestAt }, data: { digestAt: now } });
    if (count === 1) await addDelivery(tables, id, { event: 'digest', trigger: null, about: null, say }, now);
  });
}

async function note(
  tables: Tables,
  { webhookId, alerts, now }: { webhookId: string; alerts: readonly Alert[]; now: Date },
): Promise<void> {
  await tables.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${webhookId}, 5275176))`;
  // It may have been deleted during the evaluation.
  if ((await tables.webhook.count({ where: { id: webhookId } })) === 0) return;
  const openAlerts = await tables.openAlert.findMany({ where: { webhookId } });
  const same = (one: { trigger: string; aboutId: string }) => (other: { trigger: string; aboutId: string }) =>
    one.trigger === other.trigger && one.aboutId === other.aboutId;
  const messages: Omit<AlertMessage, 'id' | 'at'>[] = [];
  for (const alert of alerts.filter((one) => !openAlerts.some(same(one)))) {
    const { trigger, aboutId, aboutName, say } = alert;
    await tables.openAlert.create({ data: { webhookId, trigger, aboutId, aboutName, since: now } });
    messages.push({ event: 'began', trigger, about: { id: aboutId, name: aboutName }, say });
  }
  for (const over of openAlerts.filter((one) => !alerts.some(same(one)))) {
    const { trigger, aboutId, aboutName } = over;
    await tables.openAlert.delete({ where: { webhookId_trigger_aboutId: { webhookId, trigger, aboutId } } });
    const say = `Over: ${trigger} of ${aboutName}, since ${over.since.toISOString()}.`;
    messages.push({ event: 'ended', trigger: trigger as AlertTrigger, about: { id: aboutId, name: aboutName }, say });
  }
  for (const message of messages) await addDelivery(tables, webhookId, message, now);
}

/** Records a message to be sent; returns its id. */
export async function addDelivery(
  tables: Tables,
  webhookId: string,
  message: Omit<AlertMessage, 'id' | 'at'>,
  now: Date,
): Promise<string> {
  const id = newId('dlv');
  const whole: AlertMessage = { id, at: now.toISOString(), ...message };
  await tables.alertDelivery.create({
    data: { id, webhookId, at: now, message: whole as unknown as Prisma.InputJsonObject },
  });
  return id;
}
