import { randomBytes } from 'node:crypto';
import type { QuietHours } from '@callsmith/contracts';
import { audit, type ChangedBy } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import { Prisma, type Webhook } from '../generated/prisma/client.ts';
import { seal, unseal } from '../secrets/secrets.ts';
import { mailAddressOf } from './address.ts';

const withState = {
  alerts: { orderBy: { since: 'asc' } },
  deliveries: { orderBy: { at: 'desc' }, take: 1 },
} as const satisfies Prisma.WebhookInclude;

/** A webhook with its active alerts and its last delivery, including its encrypted URL and secret. */
export type WebhookDetail = Prisma.WebhookGetPayload<{ include: typeof withState }>;

/** A new secret to sign messages with: `whsec_` + 256 random bits, base64. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/**
 * The columns of an address and its secret: encrypted together, because paths of webhooks are often secrets themselves.
 */
export function sealedWebhook(secretKey: string, place: { readonly url: string; readonly secret: string }) {
  const { ciphertext, keyId } = seal(secretKey, JSON.stringify(place));
  const shown = mailAddressOf(place.url) ?? new URL(place.url).origin;
  return { url: shown, secret: ciphertext, secretKeyId: keyId };
}

/** A webhook's whole URL and its secret. Throws `CannotUnseal`. */
export function openWebhook(
  secretKey: string,
  { secret, secretKeyId }: { readonly secret: string; readonly secretKeyId: string },
): { readonly url: string; readonly secret: string } {
  return JSON.parse(unseal(secretKey, { ciphertext: secret, keyId: secretKeyId })) as { url: string; secret: string };
}

export const listWebhooks = (prisma: PrismaService): Promise<WebhookDetail[]> =>
  prisma.webhook.findMany({ include: withState, orderBy: { name: 'asc' } });

export const findWebhook = (prisma: PrismaService, id: string): Promise<WebhookDetail | null> =>
  prisma.webhook.findUnique({ where: { id }, include: withState });

export const findDelivery = (prisma: PrismaService, id: string) =>
  prisma.alertDelivery.findUniqueOrThrow({ where: { id } });

/** True if another webhook than `except` has this name. */
export const webhookIsNamed = async (prisma: PrismaService, name: string, except?: string): Promise<boolean> =>
  (await prisma.webhook.count({ where: { name, ...(except && { id: { not: except } }) } })) > 0;

/** Columns of a webhook, whose quiet hours may be null. */
type WithHours<Columns> = Omit<Columns, 'quietHours'> & { readonly quietHours?: QuietHours | null };

const columnsOf = <Columns>({ quietHours, ...columns }: WithHours<Columns>) => ({
  ...columns,
  ...(quietHours !== undefined && { quietHours: quietHours ?? Prisma.DbNull }),
});

export async function insertWebhook(
  prisma: PrismaService,
  by: ChangedBy,
  data: WithHours<Prisma.WebhookUncheckedCreateInput>,
): Promise<WebhookDetail> {
  return prisma.$transaction(async (tables) => {
    const row = await tables.webhook.create({ data: columnsOf(data), include: withState });
    await audit(tables, by, {
      action: 'webhook.add',
      targetKind: 'webhook',
      targetId: row.id,
      after: auditedWebhook(row),
    });
    return row;
  });
}

/** Changes a webhook. Switching it off forgets its active alerts: when switched on, they are reported again. */
export async function updateWebhook(
  prisma: PrismaService,
  by: ChangedBy,
  id: string,
  data: WithHours<Prisma.WebhookUncheckedUpdateInput>,
): Promise<WebhookDetail> {
  return prisma.$transaction(async (tables) => {
    const before = await tables.webhook.findUniqueOrThrow({ where: { id } });
    if (data.enabled === false) await tables.openAlert.deleteMany({ where: { webhookId: id } });
    const begins = data.weeklyDigest === true && !before.weeklyDigest;
    const row = await tables.webhook.update({
      where: { id },
      data: { ...columnsOf(data), ...(begins && { digestAt: new Date() }) },
      include: withState,
    });
    await audit(tables, by, {
      action: 'webhook.change',
      targetKind: 'webhook',
      targetId: id,
      before: auditedWebhook(before),
      after: auditedWebhook(row),
    });
    return row;
  });
}

export async function removeWebhook(prisma: PrismaService, by: ChangedBy, id: string): Promise<void> {
  await prisma.$transaction(async (tables) => {
    const row = await tables.webhook.delete({ where: { id } });
    await audit(tables, by, {
      action: 'webhook.remove',
      targetKind: 'webhook',
      targetId: id,
      before: auditedWebhook(row),
    });
  });
}

/** What the audit log shows of a webhook. */
export const auditedWebhook = ({
  name,
  url,
  format,
  enabled,
  triggers,
  scope,
  quietHours,
  timeZone,
  weeklyDigest,
}: Webhook) => {
  return { name, url, format, enabled, triggers, scope, quietHours, timeZone, weeklyDigest };
};
