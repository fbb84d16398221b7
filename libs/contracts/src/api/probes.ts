import type { JsonObject } from '@callsmith/turn';
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId, instant, strategyUsed } from '../vocabulary.ts';
import { rate } from './models.ts';

const probeSize = z.enum(['quick', 'full']);
export type ProbeSize = z.infer<typeof probeSize>;

const probeState = z.enum(['waiting', 'running', 'done', 'cancelled', 'failed']);
export type ProbeState = z.infer<typeof probeState>;

const probeCause = z.enum(['asked', 'schedule', 'engine-version', 'doubt']);
export type ProbeCause = z.infer<typeof probeCause>;

/** The budget of a probe; undefined: the default for its size. */
const budget = z
  .object({
    requests: z.number().int().min(1).max(10_000),
    tokens: z.number().int().min(1).max(100_000_000),
    minutes: z.number().int().min(1).max(720),
  })
  .strict();

/** A strategy, with a dialect if it writes calls as text, and its results. */
const arm = z.object({
  strategy: strategyUsed,
  /** Null: the model's own. */
  dialect: z.string().nullable(),
  /** Whether its prompt had example calls; null: by the model's setting. */
  examples: z.boolean().nullable(),
  /** e.g. `prompt with hermes`. */
  name: z.string(),
  /** It was in effect when the probe started. */
  inEffect: z.boolean(),
  /** Right answers, as clients get them. */
  right: rate,
  /** Right responses without repair, retry or retreat: by the model alone. */
  clean: rate,
  /** F1 of calling when a call is right (0 to 1). */
  triggerF1: z.number().nullable(),
  /** Of responses with calls, those whose calls all satisfy their schemas. */
  schemaAccuracy: rate,
  /** Requests without a response. */
  refused: z.number().int(),
  cases: z.array(z.object({ case: z.number().int(), right: z.number().int(), n: z.number().int() })),
  /** Means of a request. */
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  /** Median. */
  firstTokenMs: z.number().nullable(),
});

/** A probe as lists show it. */
const probeHead = z.object({
  id: z.string(),
  at: instant,
  modelId: z.string(),
  upstreamId: z.string(),
  upstream: z.string().nullable(),
  engineVersion: z.string().nullable(),
  /** Why it was started. */
  cause: probeCause,
  size: probeSize,
  state: probeState,
  /** Why it failed or ended early, in one sentence. */
  problem: z.string().nullable(),
  endedAt: instant.nullable(),
});
export type ProbeHead = z.infer<typeof probeHead>;

export const probe = probeHead.extend({
  budget,
  /** Requests, tokens and milliseconds so far. */
  spent: z.object({ requests: z.number().int(), tokens: z.number(), ms: z.number() }),
  /** Responses so far, and the total number of requests. */
  done: z.number().int(),
  total: z.number().int(),
  arms: z.array(arm),
  /** The titles of the cases, by number. */
  cases: z.array(z.object({ case: z.number().int(), title: z.string() })),
  /** Wrong results: at most 100. */
  failures: z.array(
    z.object({
      arm: z.number().int(),
      case: z.number().int(),
      streamed: z.boolean(),
      why: z.string(),
      /** The response's text and calls, shortened. */
      said: z.string(),
    }),
  ),
  /** What the server supports; null: not checked yet. */
  support: z
    .array(
      z.object({
        what: z.string(),
        /** `taken`: without an error, but without a visible effect. */
        support: z.enum(['works', 'taken', 'no effect', 'refused', 'unknown']),
        detail: z.string(),
      }),
    )
    .nullable(),
  /** Null while it runs. `arm`: the recommended one; null: none is significantly better. */
  recommendation: z.object({ arm: z.number().int().nullable(), sentence: z.string() }).nullable(),
});
export type Probe = z.infer<typeof probe>;

const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject, JsonObject>;

/** The expectation for the answer to a saved case. */
const expectation = z.discriminatedUnion('kind', [
  /** Exactly these calls, in any order, with exactly these arguments. */
  z
    .object({
      kind: z.literal('calls'),
      calls: z
        .array(z.object({ name: z.string().min(1).max(200), arguments: jsonObject }).strict())
        .min(1)
        .max(20),
    })
    .strict(),
  /** Exactly one valid call of each of these tools, whatever its arguments. */
  z.object({ kind: z.literal('tools'), names: z.array(z.string().min(1).max(200)).min(1).max(20) }).strict(),
  /** No call, and a text that contains these. */
  z.object({ kind: z.literal('text'), holds: z.array(z.string().min(1).max(1000)).max(20) }).strict(),
]);
export type SavedExpectation = z.infer<typeof expectation>;

/** Maximum saved cases of a model. */
export const mostSavedCases = 10;

/** The content of a saved case. */
const caseContent = z
  .object({
    title: z.string().trim().min(1).max(80),
    /** A body of `/v1/chat/completions`, at most 64 KiB as JSON. Probes set `model` and `stream`. */
    request: jsonObject,
    expects: expectation,
  })
  .strict();

/** A case that a model's probes send in addition to the built-in ones. */
const savedCase = caseContent.extend({ id: z.string(), at: instant });
export type SavedCase = z.infer<typeof savedCase>;

export const probes = {
  start: endpoint({
    method: 'POST',
    path: '/api/models/:id/probes',
    access: 'editor',
    summary:
      'Sends a model the twenty cases of a probe and its saved cases with several strategies, within a budget of requests, tokens and minutes (audited). Not counted in rates or limits.',
    params: byId,
    body: z
      .object({
        size: probeSize.default('quick'),
        /** Undefined: the one that is used first. */
        upstreamId: z.string().max(100).optional(),
        budget: budget.partial().optional(),
      })
      .strict(),
    reply: probe,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/models/:id/probes',
    access: 'viewer',
    summary: 'The probes of a model, newest first.',
    params: byId,
    reply: z.object({ items: z.array(probeHead) }),
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/probes/:id',
    access: 'viewer',
    summary: 'Progress and results of a probe.',
    params: byId,
    reply: probe,
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/api/probes/:id/cancel',
    access: 'editor',
    summary: 'Cancels a probe; results so far stay.',
    params: byId,
    reply: probe,
  }),
  cases: endpoint({
    method: 'GET',
    path: '/api/models/:id/probe-cases',
    access: 'viewer',
    summary: 'The cases saved for a model, oldest first; its probes send each of them once.',
    params: byId,
    reply: z.object({ items: z.array(savedCase) }),
  }),
  saveCase: endpoint({
    method: 'POST',
    path: '/api/models/:id/probe-cases',
    access: 'admin',
    summary: `Saves a case for the probes of a model (audited): at most ${mostSavedCases}. Everyone who can sign in can read it.`,
    params: byId,
    body: caseContent,
    reply: savedCase,
  }),
  deleteCase: endpoint({
    method: 'DELETE',
    path: '/api/probe-cases/:id',
    access: 'admin',
    summary: 'Deletes a saved case (audited); the results of past probes stay.',
    params: byId,
    reply: z.object({}),
  }),
};
