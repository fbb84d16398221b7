import { z } from 'zod';
import { byCapability } from '../capabilities.ts';
import { endpoint } from '../endpoint.ts';
import { settingsChange, settingsReply } from '../model-settings.ts';
import { byId, instant, managedBy, range, source, sourced, strategy, strategyUsed } from '../vocabulary.ts';

/** Counts by outcome. */
export const outcomeCounts = z.object({
  clean: z.number().int(),
  repaired: z.number().int(),
  invalid: z.number().int(),
  failed: z.number().int(),
  none: z.number().int(),
});
export type OutcomeCounts = z.infer<typeof outcomeCounts>;

/** A share with its 95 % Wilson interval; null if n is 0. `few`: under 30, too few for a conclusion. */
export const rate = z
  .object({ value: z.number(), low: z.number(), high: z.number(), n: z.number().int(), few: z.boolean() })
  .nullable();

/** The measurements of a model under one strategy. */
const strategyRates = z.object({
  counts: outcomeCounts,
  /** Of the requests with calls, those whose calls the client could use as delivered. */
  valid: rate,
  /** Those that failed or were invalid. */
  failed: rate,
  /** Those whose calls were not clean as made. */
  malformed: rate,
  noCall: rate,
  /** Of the responses with complete calls, those whose calls all satisfy their schemas. */
  schemaAccuracy: rate,
  /** F1 of calling when a call is right (0 to 1) over this many questions of the newest probe. */
  triggerF1: z.object({ value: z.number(), n: z.number().int(), at: instant }).nullable(),
});
export type StrategyRates = z.infer<typeof strategyRates>;

const burn = z
  .object({
    /** The time range. */
    minutes: z.number().int(),
    calls: z.number().int(),
    failed: z.number().int(),
    /** Multiples of the budget's rate; above `most` it is used up too fast. */
    times: z.number(),
    most: z.number(),
    /** With enough failures, and over the recent part of the range as well. */
    tooFast: z.boolean(),
  })
  .nullable();

/** How a model's failure budget was used over 30 days, by the requests with calls that the caller may see. */
const budgetHistory = z.object({
  /** The model's setting `failureBudget`. */
  percentage: z.number(),
  calls: z.number().int(),
  failed: z.number().int(),
  /** The remaining part of it; below 0: exceeded; null: there were no calls. */
  remaining: z.number().nullable(),
  /** Many failures in a short time, and fewer over hours; null: too few calls. */
  fast: burn,
  slow: burn,
  /** The days with calls, oldest first. */
  days: z.array(z.object({ at: instant, calls: z.number().int(), failed: z.number().int() })),
});
export type BudgetHistory = z.infer<typeof budgetHistory>;

const route = z.object({
  upstreamId: z.string(),
  upstream: z.string(),
  /** The model's name there. */
  upstreamModel: z.string(),
  /** Its weight among the routes of the same priority. */
  weight: z.number().int(),
  /** `declared`: by hand; it stays, whatever the upstream lists. */
  source,
  engineVersion: z.string().nullable(),
  /**
   * Out of rotation after repeated failures, as seen by the responding process: this model there, or the whole
   * upstream.
   */
  outOfRotation: z.enum(['model', 'upstream']).nullable(),
  /** What `auto` learned there about native tool calls, until it expires; also in the model's `learned`. */
  learned: z
    .object({
      nativeTools: z.boolean(),
      reason: z.string(),
      at: instant,
      expiresAt: instant,
      engineVersion: z.string().nullable(),
    })
    .nullable(),
});

/** Something that was learned from requests about a model on an upstream, until it expires. */
const lesson = z.object({
  upstreamId: z.string(),
  upstream: z.string(),
  /**
   * `native-tools`, `reasoning-prefilled`, `marked-calls`, `cuts-prompts`, `api`, `parameter:` and the name of a
   * refused one, `constraint:` and the field that constrains the engine to calls (`false`: it ignores that), or
   * `retreat:` and the form of requests.
   */
  what: z.string(),
  value: z.string(),
  /** The evidence: the upstream's message. */
  reason: z.string(),
  at: instant,
  expiresAt: instant,
  engineVersion: z.string().nullable(),
});
export type Lesson = z.infer<typeof lesson>;

export const model = z.object({
  id: z.string(),
  name: z.string(),
  aliases: z.array(z.string()),
  strategy: sourced(strategy),
  /** The strategy in effect, and why, in one sentence. */
  inEffect: z.object({ strategyUsed, why: z.string() }),
  /** A dialect's name or `auto`. */
  dialect: sourced(z.string()),
  /** Bytes; null: never before complete. */
  holdBytes: sourced(z.number().int().nullable()),
  ...settingsReply,
  /** Its capabilities; null: not declared, and not reported by the server. */
  capabilities: z.object(byCapability(() => sourced(z.boolean()).nullable())),
  demo: z.boolean(),
  managedBy,
  routes: z.array(route),
  /** Newest first. */
  learned: z.array(lesson),
  /** Last 24 hours. */
  outcomes: outcomeCounts,
  lastUsedAt: instant.nullable(),
});
export type Model = z.infer<typeof model>;

export const modelName = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'must be one line');

/** A route of a model, in order of preference. */
const givenRoutes = z
  .array(
    z.object({
      upstreamId: z.string().min(1).max(100),
      /** Undefined: the model's own name. */
      upstreamModel: modelName.optional(),
      weight: z.number().int().min(0).max(1000).default(1),
    }),
  )
  .min(1)
  .max(50);

/** A model that no upstream lists, or under a custom name. */
export const newModel = z
  .object({
    name: modelName,
    aliases: z.array(modelName).max(50).default([]),
    routes: givenRoutes,
    contextLength: z.number().int().min(1).nullable().default(null),
  })
  .strict();
export type NewModel = z.output<typeof newModel>;

/** The path's `:id` is the surrogate id or the encoded name (D-21). */
export const modelChange = z
  .object({
    strategy: z
      .enum(strategy.options, {
        error: ({ input }) =>
          `must be one of ${strategy.options.join(', ')}; found ${JSON.stringify(input)?.slice(0, 60)}`,
      })
      .optional(),
    /** A dialect's name, `auto`, or null for the table of model ids. */
    dialect: z.string().max(100).nullable().optional(),
    /** Bytes, null for never before complete, or `default`. */
    holdBytes: z
      .union([z.number().int().min(0).max(10_000_000), z.literal('default')])
      .nullable()
      .optional(),
    ...settingsChange,
    /** Null: no longer declared. Declared tools decide what `auto` does. */
    capabilities: z
      .object(byCapability(() => z.boolean().nullable()))
      .partial()
      .optional(),
    aliases: z.array(modelName).max(50).optional(),
    /** The complete list; omitted ones are removed. */
    routes: givenRoutes.optional(),
    reason: z.string().max(1000).optional(),
  })
  .strict();

const change = z.object({
  id: z.string(),
  at: instant,
  modelId: z.string(),
  model: z.string(),
  fromStrategy: strategy,
  toStrategy: strategy,
  fromDialect: z.string().nullable(),
  toDialect: z.string().nullable(),
  actor: z.string(),
  reason: z.string().nullable(),
});
export type StrategyChange = z.infer<typeof change>;
export const strategyChange = change;

export const models = {
  list: endpoint({
    method: 'GET',
    path: '/api/models',
    access: 'viewer',
    summary: 'Models with their effective settings.',
    reply: z.object({ items: z.array(model) }),
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/models/:id',
    access: 'viewer',
    summary: 'One model.',
    params: byId,
    reply: model,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/models',
    access: 'admin',
    summary: 'Adds a model manually: its name, aliases, and the upstreams that serve it, with weight and order.',
    body: newModel,
    reply: model,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/models/:id',
    access: 'admin',
    summary: 'Removes a model; its history stays. It returns only when added manually or with an upstream added later.',
    params: byId,
    reply: z.object({}),
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/models/:id',
    access: 'admin',
    summary: 'Changes strategy, dialect or another setting; takes effect on the next request.',
    params: byId,
    body: modelChange,
    codes: { strategy: 'unsupported_strategy' },
    reply: model,
  }),
  forget: endpoint({
    method: 'DELETE',
    path: '/api/models/:id/learned',
    access: 'admin',
    summary: 'Clears what was learned about a model: all of it, or what the query names.',
    params: byId,
    query: z.object({ upstreamId: z.string().max(100).optional(), what: z.string().max(200).optional() }).strict(),
    reply: model,
  }),
  checkConstraints: endpoint({
    method: 'POST',
    path: '/api/models/:id/constraints',
    access: 'admin',
    summary:
      'Checks, with a few short requests to each upstream of a model, which decoding constraints its engine enforces. The results are kept as learned capabilities.',
    params: byId,
    reply: model,
  }),
  changes: endpoint({
    method: 'GET',
    path: '/api/models/:id/changes',
    access: 'viewer',
    summary: 'Its strategy changes, newest first.',
    params: byId,
    reply: z.object({ items: z.array(change) }),
  }),
  /** The strategy panel. */
  evidence: endpoint({
    method: 'GET',
    path: '/api/models/:id/evidence',
    access: 'viewer',
    summary: 'The strategies side by side, who is affected by a change, and which is better.',
    params: byId,
    query: range,
    reply: z.object({
      native: strategyRates,
      strict: strategyRates,
      prompt: strategyRates.extend({ injectedTokens: z.number().nullable() }),
      better: strategyUsed.nullable(),
      budget: budgetHistory,
      affected: z.object({ keys: z.number().int(), teams: z.number().int(), requestsPerHour: z.number() }),
      /** e.g. `24 % of 212 calls, InvalidJson, since 14:05`. */
      reason: z.string(),
    }),
  }),
  breakdown: endpoint({
    method: 'GET',
    path: '/api/models/:id/breakdown',
    access: 'viewer',
    summary: 'Outcomes of a model by tool and by client, the tokens of the tool prompt, and the engine versions seen.',
    params: byId,
    query: range,
    reply: z.object({
      /** Calls, counted over whole hours; those with the most failed or invalid ones first. */
      tools: z.array(outcomeCounts.omit({ none: true }).extend({ tool: z.string() })),
      /** Requests, the most frequent first. */
      clients: z.array(z.object({ client: z.string(), turns: z.number().int(), counts: outcomeCounts })),
      /** Tokens that tool prompts added, by strategy used. */
      toolPrompt: z.array(
        z.object({
          strategy: z.string(),
          turns: z.number().int(),
          tokens: z.number(),
          /** All input tokens, with those of the tool prompt. */
          inputTokens: z.number(),
        }),
      ),
      /** Versions of the newest 50,000 requests, in order of appearance. */
      engines: z.array(z.object({ version: z.string(), turns: z.number().int(), firstAt: instant, lastAt: instant })),
      /** Version changes of an upstream's engine, oldest first. */
      engineChanges: z.array(z.object({ version: z.string(), at: instant })),
    }),
  }),
  dialects: endpoint({
    method: 'GET',
    path: '/api/dialects',
    access: 'viewer',
    summary: 'Dialects, and the ordered table from model-id patterns to dialects.',
    reply: z.object({
      items: z.array(z.object({ name: z.string(), sample: z.string() })),
      table: z.array(z.object({ pattern: z.string(), dialect: z.string() })),
    }),
  }),
};
