import type {
  AlertDelivery,
  AlertFormat,
  AlertScope,
  AlertTrigger,
  AlertTriggers,
  QuietHours,
  Webhook,
} from '@callsmith/contracts';
import type { AlertMessage, WebhookDetail } from '@callsmith/data/alerts';
import { managedBy } from '../managed.ts';

/** A webhook as the API shows it: without its secret, and only the origin of its URL. */
export function webhookView(row: WebhookDetail): Webhook {
  const [last] = row.deliveries;
  return {
    id: row.id,
    name: row.name,
    origin: row.url,
    format: row.format as AlertFormat,
    enabled: row.enabled,
    triggers: row.triggers as AlertTriggers,
    scope: row.scope as unknown as AlertScope,
    quietHours: row.quietHours as QuietHours | null,
    timeZone: row.timeZone,
    weeklyDigest: row.weeklyDigest,
    managedBy: managedBy(row),
    createdAt: row.createdAt.toISOString(),
    open: row.alerts.map(({ trigger, aboutName, since }) => ({
      trigger: trigger as AlertTrigger,
      about: aboutName,
      since: since.toISOString(),
    })),
    lastDelivery: last ? deliveryView(last) : null,
  };
}

/** A delivery as the API shows it. */
export function deliveryView(row: WebhookDetail['deliveries'][number]): AlertDelivery {
  const { event, trigger, say } = row.message as unknown as AlertMessage;
  return {
    id: row.id,
    at: row.at.toISOString(),
    event,
    trigger,
    say,
    state: row.deliveredAt ? 'delivered' : row.givenUpAt ? 'given-up' : 'waiting',
    tries: row.tries,
    triedAt: row.triedAt?.toISOString() ?? null,
    status: row.status,
    latencyMs: row.latencyMs,
    problem: row.problem,
  };
}
