import type { TurnRow } from '@callsmith/contracts';
import { shownTurnId } from '../ids.ts';
import type { TurnRow as StoredTurn } from '../turns/list.ts';

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
