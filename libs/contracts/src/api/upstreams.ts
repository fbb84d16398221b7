import { headerNameProblem, headerValueProblem, maskedValue } from '@callsmith/turn';
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId, instant, managedBy, source, upstreamApi, upstreamKind } from '../vocabulary.ts';

export const upstream = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.object({ value: upstreamKind.nullable(), source }),
  /** Which of its APIs is used for models without their own setting. */
  api: upstreamApi,
  baseUrl: z.string(),
  origin: z.enum(['admin', 'env', 'demo']),
  hasCredential: z.boolean(),
  /** The header of the credential; null: `Authorization`. */
  credentialHeader: z.string().nullable(),
  /** The scheme before the credential; empty: none; null: `Bearer` in `Authorization`, none elsewhere. */
  credentialScheme: z.string().nullable(),
  /** Further headers by name; their values are masked. */
  headers: z.record(z.string(), z.literal(maskedValue)),
  enabled: z.boolean(),
  managedBy,
  connectTimeoutMs: z.number().int(),
  firstByteTimeoutMs: z.number().int(),
  idleTimeoutMs: z.number().int(),
  maxConnections: z.number().int(),
  engineVersion: z.string().nullable(),
  refuses: z.array(z.string()),
  models: z.array(z.string()),
  /**
   * What is out of rotation after repeated failures, as seen by the responding process: all of it, or models by their
   * name there.
   */
  outOfRotation: z.object({ upstream: z.boolean(), models: z.array(z.string()) }),
  /** The last check; null before the first. */
  health: z
    .object({ ok: z.boolean(), at: instant, latencyMs: z.number().nullable(), error: z.string().nullable() })
    .nullable(),
});
export type Upstream = z.infer<typeof upstream>;

/** A validation of text that returns the error. */
const wrongBy =
  (problem: (value: string) => string | undefined) =>
  (context: z.core.ParsePayload<string>): void => {
    const message = problem(context.value);
    if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value });
  };

/** By name. A value of `••••` keeps the stored one. */
const headers = z.record(z.string(), z.string().max(4000)).superRefine((values, context) => {
  const names = Object.keys(values);
  if (names.length > 32) context.addIssue({ code: 'custom', message: 'must have at most 32 entries' });
  for (const [at, [name, value]] of Object.entries(values).entries()) {
    const twice = names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) !== at;
    const ofName = headerNameProblem(name) ?? (twice ? 'occurs twice' : undefined);
    const ofValue = value === maskedValue ? undefined : headerValueProblem(value);
    if (ofName) context.addIssue({ code: 'custom', message: `has "${name}", which ${ofName}` });
    else if (ofValue) context.addIssue({ code: 'custom', message: `has "${name}", whose value ${ofValue}` });
  }
});

const timeout = z.number().int().min(100).max(3_600_000);
const fields = {
  name: z.string().trim().min(1).max(100),
  baseUrl: z.string().min(1).max(2000),
  kind: upstreamKind.nullable(),
  api: upstreamApi,
  /** Its API key; empty or null: none. Never returned. */
  credential: z.string().max(4000).nullable(),
  /** Null: `Authorization`. */
  credentialHeader: z.string().check(wrongBy(headerNameProblem)).nullable(),
  /** Empty: none. Null: `Bearer` in `Authorization`, none elsewhere. */
  credentialScheme: z
    .string()
    .max(50)
    .regex(/^[\x21-\x7e]*$/, 'must be one word, like Bearer')
    .nullable(),
  headers,
  connectTimeoutMs: timeout,
  firstByteTimeoutMs: timeout,
  idleTimeoutMs: timeout,
  maxConnections: z.number().int().min(1).max(65_536),
};

export const newUpstream = z.object({
  ...fields,
  kind: fields.kind.default(null),
  api: fields.api.default('auto'),
  credential: fields.credential.default(null),
  credentialHeader: fields.credentialHeader.default(null),
  credentialScheme: fields.credentialScheme.default(null),
  headers: fields.headers.default({}),
  connectTimeoutMs: fields.connectTimeoutMs.default(10_000),
  firstByteTimeoutMs: fields.firstByteTimeoutMs.default(300_000),
  idleTimeoutMs: fields.idleTimeoutMs.default(300_000),
  maxConnections: fields.maxConnections.default(1024),
});
export type NewUpstream = z.output<typeof newUpstream>;

// Without defaults: fields that a change does not name stay unchanged.
const upstreamChange = z.object({ ...fields, enabled: z.boolean() }).partial();
export type UpstreamChange = z.output<typeof upstreamChange>;

/** The result of a connection test; contains status and time, never the body of a foreign response. */
export const testResult = z.object({
  ok: z.boolean(),
  /** In one sentence: the result, or the error and what to check. */
  say: z.string(),
  kind: upstreamKind.nullable(),
  engineVersion: z.string().nullable(),
  latencyMs: z.number().nullable(),
  models: z.array(z.object({ name: z.string(), contextLength: z.number().nullable(), tools: z.boolean().nullable() })),
});

export const upstreams = {
  list: endpoint({
    method: 'GET',
    path: '/api/upstreams',
    access: 'admin',
    summary: 'Upstreams with their health.',
    reply: z.object({ items: z.array(upstream) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/upstreams',
    access: 'admin',
    summary: 'Adds an upstream and discovers its models.',
    body: newUpstream,
    reply: upstream,
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/upstreams/:id',
    access: 'admin',
    summary: 'Changes an upstream.',
    params: byId,
    body: upstreamChange,
    reply: upstream,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/upstreams/:id',
    access: 'admin',
    summary: 'Removes an upstream; its history stays.',
    params: byId,
    reply: z.object({}),
  }),
  test: endpoint({
    method: 'POST',
    path: '/api/upstreams/test',
    access: 'admin',
    summary: 'Tests a connection without saving it, by the same rules as saving.',
    body: newUpstream
      .pick({
        baseUrl: true,
        kind: true,
        credential: true,
        credentialHeader: true,
        credentialScheme: true,
        headers: true,
      })
      .extend({ id: z.string().optional() }),
    reply: testResult,
  }),
  discover: endpoint({
    method: 'POST',
    path: '/api/upstreams/:id/discover',
    access: 'admin',
    summary: 'Refreshes its models.',
    params: byId,
    reply: upstream,
  }),
  health: endpoint({
    method: 'GET',
    path: '/api/upstreams/:id/health',
    access: 'admin',
    summary: 'Its health over the last 24 hours.',
    params: byId,
    reply: z.object({
      items: z.array(
        z.object({ at: instant, ok: z.boolean(), latencyMs: z.number().nullable(), error: z.string().nullable() }),
      ),
    }),
  }),
};
