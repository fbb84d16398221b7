import type { RawChoice } from '@callsmith/data/record';
import type { bodyOf, TurnRow } from '@callsmith/data/turns';
import type { BaseStrategy } from '@callsmith/turn';
import type { RecordedRequest } from '../../proxy/replay/reparse.ts';
import type { DeliveredCall } from './differences.ts';

export type StoredBody = NonNullable<Awaited<ReturnType<typeof bodyOf>>>;

/** The stored response of a row and its body; a sentence if there is nothing to parse. */
export function storedAnswer(turn: TurnRow, body: StoredBody): RecordedRequest | string {
  const raw = (body.raw ?? []) as unknown as RawChoice[];
  if (raw.length === 0) return 'The request ended before the model produced output.';
  const sent = sentBy(turn);
  if (sent === undefined) return 'The request ended before a strategy was chosen.';
  return {
    route: turn.route,
    model: turn.model,
    strategyUsed: sent,
    dialect: turn.dialect,
    streamed: turn.streamed,
    errorCode: turn.errorCode,
    clientRequest: body.clientRequest,
    raw,
    delivered: (Array.isArray(body.delivered) ? body.delivered : []) as RecordedRequest['delivered'],
    notes: (body.notes ?? []) as unknown as RecordedRequest['notes'],
    settings: body.settings,
  };
}

/** How the tools were sent; under `strict` the tokens of the prompt decide. */
function sentBy({ strategyUsed, injectedTokens }: TurnRow): BaseStrategy | undefined {
  if (strategyUsed === 'strict') return injectedTokens === null ? 'native' : 'prompt';
  return strategyUsed === 'native' || strategyUsed === 'prompt' ? strategyUsed : undefined;
}

/** UTF-16 units to parse of a body: request and response. */
export const storedSize = ({ clientRequest, raw }: StoredBody): number =>
  (clientRequest?.length ?? 0) + JSON.stringify(raw ?? []).length;

/** The calls of a response as it was delivered, in order. */
export const deliveredCalls = (delivered: unknown): DeliveredCall[] =>
  (Array.isArray(delivered) ? (delivered as { calls?: (DeliveredCall | null)[] }[]) : []).flatMap(({ calls }) =>
    (calls ?? []).filter((call) => call !== null && call !== undefined),
  );
