import type { TurnDetail } from '@callsmith/contracts';
import type { bodyOf, callsOf } from '@callsmith/data/turns';

/** A call of a turn as the API shows it. */
export function callView(row: Awaited<ReturnType<typeof callsOf>>[number]): TurnDetail['callList'][number] {
  const { n, tool, rules, action, bytes, shape } = row;
  type Call = TurnDetail['callList'][number];
  return {
    n,
    tool,
    rules,
    action,
    bytes,
    shape,
    outcome: row.outcome as Call['outcome'],
    classes: row.classes as Call['classes'],
  };
}

/** What was said in a turn, as it was stored. */
export function bodyView(row: NonNullable<Awaited<ReturnType<typeof bodyOf>>>): TurnDetail['body'] {
  type Body = NonNullable<TurnDetail['body']>;
  return {
    clientRequest: row.clientRequest,
    upstreamRequest: row.upstreamRequest,
    raw: (row.raw ?? []) as Body['raw'],
    delivered: row.delivered,
    notes: row.notes as Body['notes'],
    settings: row.settings,
  };
}
