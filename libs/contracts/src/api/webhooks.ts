import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId, instant, managedBy } from '../vocabulary.ts';

/** The triggers of alerts. */
export const alertTrigger = z.enum([
  'failed-rate',
  'malformed-rate',
  'failure-budget',
  'error-rate',
  'slow-first-token',
  'no-requests',
  'upstream-down',
  'record-lost',
  'budget-spent',
  'spend',
]);
export type AlertTrigger = z.infer<typeof alertTrigger>;

const minutes = z.number().int().min(1).max(1440);
const share = z.number().min(0.01).max(1);
const requests = z.number().int().min(1).max(1_000_000);

/** The triggers of a webhook; null and false: off. */
export const alertTriggers = z.object({
  /** The failed rate of a model over the last minutes, with a minimum number of calls. */
  failedRate: z
    .object({ share, minutes: minutes.min(5), calls: requests })
    .nullable()
    .default(null),
  /** The share of a model's requests with calls whose calls were not clean as made, over the last minutes. */
  malformedRate: z
    .object({ share, minutes: minutes.min(5), calls: requests })
    .nullable()
    .default(null),
  /** A model that uses up its failure budget too fast. */
  failureBudget: z.boolean().default(false),
  /** The share of a model's requests that end in errors over the last minutes, with a minimum number of requests. */
  errorRate: z
    .object({ share, minutes: minutes.min(5), requests })
    .nullable()
    .default(null),
  /** A model's 95th percentile of the time to the first token, in seconds, over the last minutes. */
  slowFirstToken: z
    .object({ seconds: z.number().min(0.1).max(3600), minutes: minutes.min(5), requests })
    .nullable()
    .default(null),
  /** No request for this long, although there were some in the same time before. */
  noRequests: z
    .object({ minutes: minutes.min(5) })
    .nullable()
    .default(null),
  /** An upstream that has not answered for this long. */
  upstreamDown: z.object({ minutes }).nullable().default(null),
  /** Turns that could not be recorded. */
  recordLost: z.boolean().default(false),
  /** A key that has used this share of its budget. */
  budgetSpent: z.object({ share }).nullable().default(null),
  /** More than this amount of the currency spent in the last hours. */
  spend: z
    .object({ amount: z.number().min(0.01).max(1_000_000_000), hours: z.number().int().min(1).max(744) })
    .nullable()
    .default(null),
});
export type AlertTriggers = z.infer<typeof alertTriggers>;

const names = z.array(z.string().min(1).max(200)).max(200).default([]);

/** The scope of alerts; an empty list: all. Models and teams by their ids, in a configuration file by their names. */
export const alertScope = z.object({ models: names, teams: names, clients: names });
export type AlertScope = z.infer<typeof alertScope>;

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day from 00:00 to 23:59');

/** The daily hours in which nothing is sent; over midnight if `from` is later than `to`. */
export const quietHours = z
  .object({ from: clock, to: clock })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'must differ from its beginning' });
export type QuietHours = z.infer<typeof quietHours>;

const timeZone = z
  .string()
  .max(100)
  .refine(isTimeZone, { message: 'must be a time zone such as Europe/Zurich or UTC' });

/** True for a time zone of the IANA database. */
function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/**
 * The format of messages: `standard` is signed JSON (Standard Webhooks), `slack` what Slack, Mattermost and Rocket.Chat
 * read, `email` a mail to the address of a `mailto:` URL.
 */
export const alertFormat = z.enum(['standard', 'slack', 'email']);
export type AlertFormat = z.infer<typeof alertFormat>;

const alertEvent = z.enum(['began', 'ended', 'digest', 'test']);
export type AlertEvent = z.infer<typeof alertEvent>;

/** One message to a webhook and the result of sending it. */
export const alertDelivery = z.object({
  id: z.string(),
  at: instant,
  event: alertEvent,
  trigger: alertTrigger.nullable(),
  say: z.string(),
  state: z.enum(['waiting', 'delivered', 'given-up']),
  tries: z.number().int(),
  triedAt: instant.nullable(),
  /** The receiver's status (HTTP; SMTP for e-mail); null: there was none. */
  status: z.number().int().nullable(),
  latencyMs: z.number().int().nullable(),
  /** The rest of a sentence after its address, e.g. `connection refused`. */
  problem: z.string().nullable(),
});
export type AlertDelivery = z.infer<typeof alertDelivery>;

export const webhook = z.object({
  id: z.string(),
  name: z.string(),
  /** Its URL without the path, which may be a secret and is not shown again. Of an e-mail: the address. */
  origin: z.string(),
  format: alertFormat,
  enabled: z.boolean(),
  triggers: alertTriggers,
  scope: alertScope,
  quietHours: quietHours.nullable(),
  /** Of the quiet hours and the digest. */
  timeZone: z.string(),
  /** A summary of the last seven days, on Mondays from 8:00. */
  weeklyDigest: z.boolean(),
  managedBy,
  createdAt: instant,
  /** Alerts that have started and not ended. */
  open: z.array(z.object({ trigger: alertTrigger, about: z.string(), since: instant })),
  lastDelivery: alertDelivery.nullable(),
});
export type Webhook = z.infer<typeof webhook>;

export const webhookFields = {
  name: z.string().trim().min(1).max(100),
  url: z.string().min(1).max(2000),
  format: alertFormat,
  enabled: z.boolean(),
  triggers: alertTriggers,
  scope: alertScope,
  quietHours: quietHours.nullable(),
  timeZone,
  weeklyDigest: z.boolean(),
};

export const webhooks = {
  list: endpoint({
    method: 'GET',
    path: '/api/webhooks',
    access: 'admin',
    summary: 'Webhooks for alerts, each with its last delivery.',
    reply: z.object({ items: z.array(webhook) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/webhooks',
    access: 'admin',
    summary: 'Adds a webhook; the secret that signs its messages (Standard Webhooks, HMAC-SHA-256) is shown only once.',
    body: z.object({
      name: webhookFields.name,
      url: webhookFields.url,
      format: webhookFields.format.default('standard'),
      triggers: webhookFields.triggers,
      scope: webhookFields.scope.prefault({}),
      quietHours: webhookFields.quietHours.default(null),
      timeZone: webhookFields.timeZone.default('UTC'),
      weeklyDigest: webhookFields.weeklyDigest.default(false),
    }),
    reply: z.object({ webhook, secret: z.string() }),
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/webhooks/:id',
    access: 'admin',
    summary: 'Changes a webhook.',
    params: byId,
    body: z.object(webhookFields).partial(),
    reply: webhook,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/webhooks/:id',
    access: 'admin',
    summary: 'Removes a webhook; pending deliveries are dropped.',
    params: byId,
    reply: z.object({}),
  }),
  test: endpoint({
    method: 'POST',
    path: '/api/webhooks/:id/test',
    access: 'admin',
    summary: 'Sends one test message; returns status and time, never the body of the response.',
    params: byId,
    reply: alertDelivery,
  }),
};
