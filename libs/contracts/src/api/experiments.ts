import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId, instant, strategyUsed } from '../vocabulary.ts';
import { rate } from './models.ts';

/**
 * The results of both sides: requests with calls that failed, were invalid, or were answered by another strategy only.
 */
const result = z.object({
  tried: rate,
  others: rate,
  /**
   * The difference of the failed rates, tried minus current, with its 95 % interval (Newcombe); null: one side has no
   * requests.
   */
  difference: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** Whether the tried strategy is significantly better or worse; null: inconclusive. */
  better: z.boolean().nullable(),
  sentence: z.string(),
});

const experiment = z.object({
  id: z.string(),
  at: instant,
  modelId: z.string(),
  /** A user's e-mail address, or what else started it. */
  actor: z.string(),
  strategy: strategyUsed,
  /** Null: the model's own. */
  dialect: z.string().nullable(),
  /** Percent of new conversations. */
  share: z.number().int(),
  until: instant,
  /** `done`: it has ended and no one has decided. */
  state: z.enum(['running', 'done', 'kept', 'undone']),
  endedAt: instant.nullable(),
  /** Interim or final. */
  result,
});
export type Experiment = z.infer<typeof experiment>;

export const experiments = {
  start: endpoint({
    method: 'POST',
    path: '/api/models/:id/experiments',
    access: 'admin',
    summary:
      'Sends a share of a model’s new conversations to another strategy for a limited time (audited). A model has one running experiment at most.',
    params: byId,
    body: z
      .object({
        strategy: strategyUsed,
        /** A dialect's name; undefined: the model's own. */
        dialect: z.string().max(100).optional(),
        /** Percent of new conversations. */
        share: z.number().int().min(1).max(90),
        hours: z.number().min(0.1).max(720),
      })
      .strict(),
    reply: experiment,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/models/:id/experiments',
    access: 'viewer',
    summary: 'The experiments of a model, newest first, each with the results of both sides.',
    params: byId,
    reply: z.object({ items: z.array(experiment) }),
  }),
  keep: endpoint({
    method: 'POST',
    path: '/api/experiments/:id/keep',
    access: 'admin',
    summary: 'Ends an experiment and sets the model to the strategy that it tried.',
    params: byId,
    reply: experiment,
  }),
  undo: endpoint({
    method: 'POST',
    path: '/api/experiments/:id/undo',
    access: 'admin',
    summary: 'Ends an experiment; if its strategy was kept, the model returns to its earlier setting.',
    params: byId,
    reply: experiment,
  }),
};
