import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { findingClass, instant, range } from '../words.ts';
import { outcomeCounts, strategyChange } from './models.ts';

const filter = range.extend({
  model: z.string().max(500).optional(),
  teamId: z.string().optional(),
  client: z.string().max(100).optional(),
});

const tile = z.object({
  value: z.number().nullable(),
  /** The same over the period before. */
  before: z.number().nullable(),
  spark: z.array(z.number().nullable()),
});

const point = z.object({
  at: instant,
  counts: outcomeCounts,
  classes: z.record(z.string(), z.number()),
  addedP95Us: z.number().nullable(),
});

export const stats = {
  /** All that Overview shows, in one answer. */
  overview: endpoint({
    method: 'GET',
    path: '/api/stats/overview',
    access: 'viewer',
    say: 'Tiles, outcomes over time, classes, failing models and recent changes.',
    query: filter,
    reply: z.object({
      from: instant,
      to: instant,
      /** Seconds a point stands for. */
      step: z.number().int(),
      /** Closed minutes reach to here; newer points are read from raw rows. */
      rolledUpTo: instant.nullable(),
      tiles: z.object({ clean: tile, repaired: tile, failed: tile, addedP95: tile }),
      series: z.array(point),
      /** Malformed rate over time per model, for the lines of the chart. */
      byModel: z.array(
        z.object({
          model: z.string(),
          modelId: z.string(),
          demo: z.boolean(),
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
    say: 'Tokens and turns by key, model or team.',
    query: filter.extend({ by: z.enum(['key', 'model', 'team', 'client']).default('model') }),
    reply: z.object({
      items: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          turns: z.number(),
          inputTokens: z.number(),
          outputTokens: z.number(),
          cachedTokens: z.number(),
          injectedTokens: z.number(),
          counts: outcomeCounts,
        }),
      ),
    }),
  }),
};
