import type { CallFragment, FindingClass, StrategyUsed, TurnEvent, TurnOutcome } from '@callsmith/turn';
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { strategy } from '../vocabulary.ts';
import type { TurnDetail } from './turns.ts';

/** The model and settings of a column. */
const column = z.object({
  /** A model's ID. */
  model: z.string().min(1).max(500),
  strategy,
  /** A dialect's name or `auto`; undefined: the model's own. */
  dialect: z.string().max(100).optional(),
});
export type PlaygroundColumn = z.infer<typeof column>;

/** Maximum columns of one request. */
export const mostColumns = 4;

type Body = NonNullable<TurnDetail['body']>;

/** The result of a column. */
export interface PlaygroundResult {
  readonly outcome: TurnOutcome;
  readonly classes: readonly FindingClass[];
  /** Null: it did not get that far. */
  readonly strategyUsed: StrategyUsed | null;
  readonly dialect: string | null;
  readonly upstream: string | null;
  readonly calls: TurnDetail['callList'];
  readonly notes: Body['notes'];
  /** The upstream's output: one response, or several if it was retried. */
  readonly raw: readonly Body['raw'][];
  /** As that of a recorded request; null: a client would have got only an error. */
  readonly delivered: unknown;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Until the first text, reasoning or call. */
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** An event of a running column. */
export type PlaygroundProgress =
  /** A request is sent upstream; another response follows the previous one. */
  | { readonly type: 'attempt' }
  /** What was delivered so far is replaced. */
  | { readonly type: 'begin' }
  | { readonly type: 'raw'; readonly event: TurnEvent | CallFragment }
  | { readonly type: 'delivered'; readonly event: TurnEvent }
  /** The last event. */
  | { readonly type: 'done'; readonly result: PlaygroundResult };

/** One event of the stream, as JSON after `data:`; `column` counts from 0. */
export type PlaygroundEvent = PlaygroundProgress & { readonly column: number };

export const playground = {
  run: endpoint({
    method: 'POST',
    path: '/api/playground',
    access: 'admin',
    summary:
      'Sends a request, or the stored one of `turn`, through up to four columns of model and strategy in parallel and streams each result: raw, delivered and judged (audited). Nothing is recorded or counted.',
    body: z.object({
      columns: z.array(column).min(1).max(mostColumns),
      /** A body of `/v1/chat/completions`; `model` and `stream` are overwritten. Undefined: that of `turn`. */
      request: z.record(z.string(), z.unknown()).optional(),
      /** The ID of a recorded request with a stored body. */
      turn: z.string().max(100).optional(),
    }),
    reply: z.string(),
    download: ['text/event-stream'],
  }),
};
