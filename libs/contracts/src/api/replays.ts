import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { callOutcome, findingClass, instant, strategyUsed, turnOutcome } from '../vocabulary.ts';
import { turnFilter } from './turns.ts';

/** The parsed content of a response. */
const reading = z.object({
  outcome: turnOutcome.nullable(),
  classes: z.array(findingClass),
  errorCode: z.string().nullable(),
  calls: z.array(z.object({ tool: z.string(), outcome: callOutcome, rules: z.array(z.string()) })),
});
export type ParseResult = z.infer<typeof reading>;

const replayRow = z.object({
  id: z.string(),
  at: instant,
  model: z.string(),
  strategyUsed: strategyUsed.nullable(),
  /** The dialect in which it was recorded. */
  dialect: z.string().nullable(),
  old: reading,
  /** Null: it could not be parsed; `problem` says why. */
  new: reading.nullable(),
  problem: z.string().nullable(),
  /** In words; empty: nothing differs. */
  differences: z.array(z.string()),
});
export type ReplayRow = z.infer<typeof replayRow>;

export const replays = {
  /** No model gets a request: the stored responses are parsed again. */
  read: endpoint({
    method: 'POST',
    path: '/api/turns/replay',
    access: 'editor',
    summary:
      'Re-parses stored model output with the current parser, of one request or up to 200, and lists the differences (audited). No model is called.',
    body: turnFilter.extend({
      /** One turn; undefined: the newest that match the filter and have a stored body. */
      turn: z.string().max(100).optional(),
      /** A dialect’s name or `auto`; undefined: each in its recorded dialect. */
      dialect: z.string().max(100).optional(),
      limit: z.number().int().min(1).max(200).default(200),
    }),
    reply: z.object({
      rows: z.array(replayRow),
      /** More turns match than were parsed, or may: the search ended before it had looked at all. */
      more: z.boolean(),
      /** If one turn was requested: what a client would get now, like `delivered` of a turn. */
      delivered: z.unknown().nullable(),
    }),
  }),
};
