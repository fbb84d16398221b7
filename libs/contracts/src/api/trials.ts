import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId, findingClass, instant, strategyUsed, turnOutcome } from '../vocabulary.ts';

/** The result of a request. */
const answer = z.object({
  outcome: turnOutcome.nullable(),
  classes: z.array(findingClass),
  calls: z.number().int(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  totalMs: z.number(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
});

/** Requests that are sent if none of failed turns are stored. */
export const builtInName = z.enum(['one-call', 'three-calls', 'long-argument']);
export type BuiltInName = z.infer<typeof builtInName>;

/** One request of a trial. */
const row = z.object({
  /** The failed turn that it is from; null: it is built in. */
  turn: z
    .object({ id: z.string(), at: instant, strategyUsed: strategyUsed.nullable(), dialect: z.string().nullable() })
    .nullable(),
  /** A built-in request, if no requests of failed turns are stored. */
  builtIn: builtInName.nullable(),
  /** The recorded result; null for a built-in request. */
  old: answer.nullable(),
  /** The new result; null: not tried yet. */
  new: answer.nullable(),
});
export type TrialRow = z.infer<typeof row>;
export type TrialAnswer = z.infer<typeof answer>;

const trialState = z.enum(['waiting', 'running', 'done', 'cancelled', 'failed']);
export type TrialState = z.infer<typeof trialState>;

export const trial = z.object({
  id: z.string(),
  at: instant,
  modelId: z.string(),
  /** The strategy and dialect of the requests. */
  strategy: strategyUsed,
  dialect: z.string(),
  state: trialState,
  /** Why it failed, in one sentence. */
  problem: z.string().nullable(),
  rows: z.array(row),
  endedAt: instant.nullable(),
});
export type Trial = z.infer<typeof trial>;

export const trials = {
  start: endpoint({
    method: 'POST',
    path: '/api/models/:id/trials',
    access: 'editor',
    summary:
      'Sends the stored requests of the last 10 failures again with another strategy (audited). If none are stored, sends three built-in requests.',
    params: byId,
    body: z.object({
      strategy: strategyUsed,
      /** A dialect's name, `auto`, or null for the table of model ids; undefined: the one in effect. */
      dialect: z.string().max(100).nullable().optional(),
    }),
    reply: trial,
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/trials/:id',
    access: 'editor',
    summary: 'Progress and results of a trial; for admins and the team whose requests it uses.',
    params: byId,
    reply: trial,
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/api/trials/:id/cancel',
    access: 'editor',
    summary: 'Cancels a trial; results so far stay.',
    params: byId,
    reply: trial,
  }),
};
