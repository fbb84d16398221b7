import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { budgetPeriod, byId, instant, managedBy, page, pageOf } from '../vocabulary.ts';

/** 64-bit counts are sent as numbers; they stay far below 2^53. */
const tokens = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

const limits = {
  /** Public names of the models that it may use; null: all. */
  allowedModels: z.array(z.string().min(1).max(500)).max(500).nullable(),
  expiresAt: instant.nullable(),
  requestsPerMinute: z.number().int().min(1).max(1_000_000).nullable(),
  tokensPerMinute: tokens.nullable(),
  concurrentStreams: z.number().int().min(1).max(100_000).nullable(),
  tokenBudget: tokens.nullable(),
  /** Millionths of the currency. */
  spendBudget: tokens.nullable(),
  budgetPeriod: budgetPeriod.nullable(),
};

/** `imported`: from another system; `env`: API_KEY; `demo`: for demo models only. */
const keyKind = z.enum(['issued', 'imported', 'env', 'demo']);
export type KeyKind = z.infer<typeof keyKind>;

export const key = z.object({
  id: z.string(),
  teamId: z.string(),
  teamName: z.string(),
  /** Whether message content of its turns may be stored. */
  storesBodies: z.boolean(),
  holder: z.string(),
  /** The displayed form, e.g. `sk-…3f2a`. */
  hint: z.string(),
  kind: keyKind,
  allowedModels: z.array(z.string()).nullable(),
  requestsPerMinute: z.number().nullable(),
  tokensPerMinute: z.number().nullable(),
  concurrentStreams: z.number().nullable(),
  tokenBudget: z.number().nullable(),
  spendBudget: z.number().nullable(),
  budgetPeriod: budgetPeriod.nullable(),
  createdAt: instant,
  expiresAt: instant.nullable(),
  revokedAt: instant.nullable(),
  /** The key that replaced it when it was rotated. */
  rotatedTo: z.string().nullable(),
  lastUsedAt: instant.nullable(),
  lastClient: z.string().nullable(),
  managedBy,
});
export type Key = z.infer<typeof key>;

export const holder = z.string().trim().min(1).max(200);

export const newKey = z.object({
  teamId: z.string(),
  holder,
  allowedModels: limits.allowedModels.default(null),
  expiresAt: limits.expiresAt.default(null),
  requestsPerMinute: limits.requestsPerMinute.default(null),
  tokensPerMinute: limits.tokensPerMinute.default(null),
  concurrentStreams: limits.concurrentStreams.default(null),
  tokenBudget: limits.tokenBudget.default(null),
  spendBudget: limits.spendBudget.default(null),
  budgetPeriod: limits.budgetPeriod.default(null),
});
export type NewKey = z.output<typeof newKey>;

// Anything else cannot be sent in a header, or can be guessed. The messages never repeat the value.
export const foreignSecret = z
  .string()
  .min(20)
  .max(1000)
  .regex(/^[!-~]*$/, 'must consist of visible ASCII characters, because it is sent in a header');
export const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be the SHA-256 of the whole key, as 64 hex digits')
  .toLowerCase();

/** An imported key: the secret itself, or the SHA-256 by which the other system knows it. */
const foreignKey = z
  .strictObject({ holder, secret: foreignSecret.optional(), sha256: sha256.optional() })
  .refine((imported) => (imported.secret === undefined) !== (imported.sha256 === undefined), {
    path: ['secret'],
    message: 'is required unless sha256 is given; do not give both',
  });
export type ForeignKey = z.output<typeof foreignKey>;

// Without defaults: fields that a change does not name stay unchanged.
const keyChange = z.object({ holder, ...limits }).partial();
export type KeyChange = z.output<typeof keyChange>;
/** The fields of a bulk change; keys move to a team with their rights, and their past usage stays where it was. */
const sharedChange = keyChange.omit({ holder: true }).extend({ teamId: z.string().optional() }).strict();
export type SharedKeyChange = z.output<typeof sharedChange>;

export const keys = {
  list: endpoint({
    method: 'GET',
    path: '/api/keys',
    access: 'viewer',
    summary: 'Keys, newest first; revoked keys only on request.',
    query: page.extend({
      teamId: z.string().optional(),
      revoked: z.enum(['true', 'false']).default('false'),
      q: z.string().max(200).optional().meta({
        description:
          'Words, each of them part of the owner’s name, the key’s hint, the team’s name or the last client’s.',
      }),
    }),
    reply: pageOf(key),
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/keys/:id',
    access: 'viewer',
    summary: 'One key, revoked or not.',
    params: byId,
    reply: key,
  }),
  issue: endpoint({
    method: 'POST',
    path: '/api/keys',
    access: 'editor',
    summary: 'Creates a key; its secret is in this response and nowhere else.',
    body: newKey,
    reply: z.object({ key, secret: z.string() }),
  }),
  issueMany: endpoint({
    method: 'POST',
    path: '/api/keys/batch',
    access: 'editor',
    summary: 'Creates a key for each of several owners; each is handed over by a one-time link (72 h).',
    body: newKey.omit({ holder: true }).extend({ holders: z.array(holder).min(1).max(200) }),
    reply: z.object({ issued: z.array(z.object({ key, link: z.string() })) }),
  }),
  importMany: endpoint({
    method: 'POST',
    path: '/api/keys/import',
    access: 'editor',
    summary:
      'Imports keys that another system issued, each by its secret or its SHA-256; they stay valid as they are. Keys that already exist are skipped and listed.',
    body: newKey.omit({ holder: true }).extend({ keys: z.array(foreignKey).min(1).max(500) }),
    reply: z.object({
      imported: z.array(key),
      /** `at`: the index in the request's `keys`. */
      duplicates: z.array(
        z.object({
          at: z.number().int(),
          holder: z.string(),
          hint: z.string(),
          reason: z.enum(['exists', 'repeated']),
        }),
      ),
    }),
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/keys/:id',
    access: 'editor',
    summary: 'Changes the owner or limits of a key.',
    params: byId,
    body: keyChange,
    reply: key,
  }),
  changeMany: endpoint({
    method: 'PATCH',
    path: '/api/keys',
    access: 'editor',
    summary: 'Changes the limits or the team of several keys, or revokes them: all or none.',
    body: z.object({
      ids: z.array(z.string().min(1).max(200)).min(1).max(200),
      change: sharedChange.default({}),
      revoke: z.boolean().default(false),
    }),
    reply: z.object({ changed: z.array(key) }),
  }),
  rotate: endpoint({
    method: 'POST',
    path: '/api/keys/:id/rotate',
    access: 'editor',
    summary: 'Creates a successor; the old key stays active for the grace period (seconds).',
    params: byId,
    body: z.object({
      graceSeconds: z
        .number()
        .int()
        .min(0)
        .max(30 * 86_400)
        .default(86_400),
    }),
    reply: z.object({ key, secret: z.string() }),
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/keys/:id',
    access: 'editor',
    summary: 'Revokes a key; it is refused everywhere within 5 s.',
    params: byId,
    reply: key,
  }),
  /** For the page behind a handed-over key's link. */
  fetchByLink: endpoint({
    method: 'POST',
    path: '/api/links/key',
    access: 'anyone',
    summary: 'Shows the key of a one-time link, once.',
    body: z.object({ token: z.string().min(16).max(200) }),
    reply: z.object({
      key,
      secret: z.string(),
      baseUrl: z.string(),
      models: z.array(z.object({ name: z.string(), contextLength: z.number().nullable() })),
      bodyRetentionDays: z.number().int(),
    }),
  }),
};
