import type { TurnDetail, TurnRow } from '@callsmith/contracts';
import { type bodyOf, type callsOf, type TurnRow as StoredTurn, shownTurnId } from '@callsmith/data';

/** A turn as lists show it. */
export function turnView(row: StoredTurn): TurnRow {
  return {
    id: shownTurnId(row.id),
    at: row.at.toISOString(),
    requestId: row.requestId,
    route: row.route,
    teamId: row.teamId,
    team: row.team,
    keyId: row.keyId,
    key: row.key,
    modelId: row.modelId,
    model: row.model,
    upstream: row.upstream,
    engineVersion: row.engineVersion,
    strategy: row.strategy,
    strategyUsed: row.strategyUsed,
    dialect: row.dialect,
    client: row.client,
    streamed: row.streamed,
    outcome: row.outcome as TurnRow['outcome'],
    classes: row.classes as TurnRow['classes'],
    toolsOffered: row.toolsOffered,
    calls: row.calls,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    tokenSource: row.tokenSource,
    addedUs: row.addedUs,
    firstTokenMs: row.firstTokenMs,
    totalMs: row.totalMs,
    attempts: row.attempts,
    status: row.status,
    errorOrigin: row.errorOrigin,
    errorCode: row.errorCode,
    errorMessage: row.errorMessage,
    stored: row.stored,
  };
}

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
