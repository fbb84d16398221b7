import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { keyUsage } from '../inference/others.ts';
import { byId, findingClass, instant, turnOutcome } from '../vocabulary.ts';
import { key } from './keys.ts';
import { rate } from './models.ts';

const ownKey = z.object({
  key,
  /** As in `GET /v1/usage`, of 30 days. */
  usage: keyUsage,
  baseUrl: z.string(),
  /** Those that the key may use. */
  models: z.array(
    z.object({
      name: z.string(),
      contextLength: z.number().nullable(),
      /** Of the team's requests with calls in the last 30 days, those whose calls the client could use. */
      valid: rate,
    }),
  ),
  /** The model with the best lower bound in its team's measurements; null: none has enough measurements. */
  suggested: z.string().nullable(),
  bodyRetentionDays: z.number().int(),
  /** Whether its owner may rotate it; keys of the installation or of the configuration file are changed there. */
  rotates: z.boolean(),
});
export type OwnKey = z.infer<typeof ownKey>;

/** A request as its key's owner sees it: without message content. */
const ownRequest = z.object({
  id: z.string(),
  requestId: z.string(),
  at: instant,
  model: z.string(),
  client: z.string(),
  outcome: turnOutcome.nullable(),
  classes: z.array(findingClass),
  status: z.number().int(),
  errorCode: z.string().nullable(),
  totalMs: z.number().int(),
});
export type OwnRequest = z.infer<typeof ownRequest>;

/** What the owner of a key can see and do without an account, through a connect link. */
export const connect = {
  makeLink: endpoint({
    method: 'POST',
    path: '/api/keys/:id/connect-link',
    access: 'editor',
    summary: 'Creates a one-time link (24 h) to the page of a key, for its owner; it replaces an unused one.',
    params: byId,
    reply: z.object({ link: z.string(), expiresAt: instant }),
  }),
  open: endpoint({
    method: 'POST',
    path: '/api/connect/session',
    access: 'anyone',
    summary: 'Uses a connect link; sets a cookie that is valid for its key only (30 days).',
    body: z.object({ token: z.string().min(16).max(200) }),
    reply: z.object({}),
  }),
  leave: endpoint({
    method: 'DELETE',
    path: '/api/connect/session',
    access: 'anyone',
    summary: 'Ends the session of a key’s owner in this browser.',
    reply: z.object({}),
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/connect',
    access: 'key-owner',
    summary: 'The caller’s key: limits, usage, models, and the suggested model.',
    reply: ownKey,
  }),
  requests: endpoint({
    method: 'GET',
    path: '/api/connect/requests',
    access: 'key-owner',
    summary: 'The last 25 requests of the caller’s key, without message content.',
    reply: z.object({ items: z.array(ownRequest) }),
  }),
  rotate: endpoint({
    method: 'POST',
    path: '/api/connect/rotate',
    access: 'key-owner',
    summary: 'Creates a successor of the caller’s key; the old one stays active for the grace period (seconds).',
    body: z.object({
      graceSeconds: z
        .number()
        .int()
        .min(0)
        .max(7 * 86_400),
    }),
    reply: z.object({ key, secret: z.string() }),
  }),
};
