import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { budgetPeriod, findingClass, instant, range, strategy, strategyUsed } from '../vocabulary.ts';
import { outcomeCounts, strategyChange } from './models.ts';

const filter = range.extend({
  model: z.string().max(500).optional(),
  teamId: z.string().optional(),
  client: z.string().max(100).optional(),
});

const tile = z.object({
  value: z.number().nullable(),
  /** The same over the previous period. */
  before: z.number().nullable(),
  spark: z.array(z.number().nullable()),
});

const point = z.object({
  at: instant,
  counts: outcomeCounts,
  classes: z.record(z.string(), z.number()),
  addedP95Us: z.number().nullable(),
});

/** The dimension of usage. */
const usageBy = z.enum(['key', 'model', 'team', 'client']);
export type UsageBy = z.infer<typeof usageBy>;

/** One key, by its id. */
const keyId = z.string().max(100).optional();

const usageFilter = filter.extend({
  keyId,
  by: usageBy.default('model'),
});

const sums = z.object({
  turns: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Of the input tokens, those from the upstream's cache. */
  cachedTokens: z.number(),
  /** Of the input tokens, those that the prompt strategy added. */
  injectedTokens: z.number(),
  /** The cost, in millionths of the currency; models without a price cost nothing. */
  spend: z.number(),
});
export type UsageSums = z.infer<typeof sums>;

const usageItem = sums.extend({ id: z.string(), name: z.string() });

/** The order of the listed models: by failed or repaired share or calls, descending, or by name. */
const modelOrder = z.enum(['failed', 'repaired', 'calls', 'name']);
export type ModelOrder = z.infer<typeof modelOrder>;

export const stats = {
  /** Everything on Overview, in one response. */
  overview: endpoint({
    method: 'GET',
    path: '/api/stats/overview',
    access: 'viewer',
    summary: 'Tiles, outcomes over time, classes, failing models and recent changes.',
    query: filter.extend({ keyId, models: modelOrder.default('failed') }),
    reply: z.object({
      from: instant,
      to: instant,
      /** Seconds per point. */
      step: z.number().int(),
      /**
       * Calls before this time were not checked against their tool's schema, so none of them counts as invalid. Null:
       * all were checked.
       */
      validitySince: instant.nullable(),
      /** Closed minutes end here; newer points come from raw rows. */
      rolledUpTo: instant.nullable(),
      tiles: z.object({ clean: tile, repaired: tile, invalid: tile, failed: tile, addedP95: tile }),
      series: z.array(point),
      /** How many models had calls. */
      models: z.number().int(),
      /** The first 20 of them, in the requested order, with their malformed rate over time. */
      byModel: z.array(
        z.object({
          model: z.string(),
          modelId: z.string(),
          demo: z.boolean(),
          counts: outcomeCounts,
          /** The setting and the strategy in effect; null: the model is no longer listed. */
          strategy: z.object({ set: strategy, used: strategyUsed }).nullable(),
          points: z.array(z.object({ at: instant, malformed: z.number().nullable(), n: z.number().int() })),
        }),
      ),
      classes: z.array(z.object({ class: findingClass, count: z.number().int() })),
      failingModels: z.array(
        z.object({
          model: z.string(),
          modelId: z.string(),
          demo: z.boolean(),
          counts: outcomeCounts,
          malformed: z.number(),
          topClass: findingClass.nullable(),
          lastFailedAt: instant.nullable(),
        }),
      ),
      changes: z.array(strategyChange),
      totals: outcomeCounts.extend({ turns: z.number().int(), errors: z.number().int() }),
    }),
  }),
  usage: endpoint({
    method: 'GET',
    path: '/api/stats/usage',
    access: 'viewer',
    summary: 'Tokens and requests by key, model, team or client, most requests first.',
    query: usageFilter,
    reply: z.object({ items: z.array(usageItem.extend({ counts: outcomeCounts })) }),
  }),
  /** Everything on the page Usage, in one response. */
  usageOverTime: endpoint({
    method: 'GET',
    path: '/api/stats/usage/over-time',
    access: 'viewer',
    summary: 'Tokens and requests over time, and the share of each key, model, team or client.',
    query: usageFilter,
    reply: z.object({
      from: instant,
      to: instant,
      /** Seconds per point. */
      step: z.number().int(),
      points: z.array(sums.extend({ at: instant })),
      totals: sums,
      items: z.array(
        usageItem.extend({
          /** Input and output tokens per point; empty except for the 50 with the most turns. */
          course: z.array(z.number()),
          /**
           * The token budget of a key or team in its current period; `used` is null if the counters are unreachable.
           */
          budget: z.object({ tokens: z.number(), period: budgetPeriod, used: z.number().nullable() }).nullable(),
          /** The same in money: millionths of the currency. */
          spendBudget: z.object({ limit: z.number(), period: budgetPeriod, used: z.number().nullable() }).nullable(),
        }),
      ),
      /** The display name of the filter's subject. */
      only: z.object({ model: z.string().nullable(), team: z.string().nullable(), key: z.string().nullable() }),
    }),
  }),
  /** For a plain link; the browser saves it. */
  usageFile: endpoint({
    method: 'GET',
    path: '/api/stats/usage/export',
    access: 'viewer',
    summary: 'Tokens and requests by key, model, team or client, as a file.',
    query: usageFilter,
    reply: z.string(),
    download: ['text/csv'],
  }),
  /** For a plain link; the browser saves it. */
  ratesFile: endpoint({
    method: 'GET',
    path: '/api/stats/rates/export',
    access: 'viewer',
    summary:
      'Rates by model and strategy, as a file: valid, failed, malformed and no-call rates as made and as delivered with n and interval, schema accuracy, and trigger F1 from the newest probe.',
    query: filter,
    reply: z.string(),
    download: ['text/csv'],
  }),
};
