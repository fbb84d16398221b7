import type { TrialAnswer, TrialRow } from '@callsmith/contracts';
import type { StrategyUsed } from '@callsmith/turn';
import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { NOT_CLEAN_CONDITION } from '../turns/filter.ts';
import type { TrialTarget } from './trial-target.ts';

const { sql } = Prisma;

/** Maximum number of failed turns in a trial. */
export const MAX_TRIED_TURNS = 10;

/** A body of this length was not stored completely, and cannot be sent again. */
const WHOLE = 1024 * 1024;

interface FailedTurn extends TrialAnswer {
  readonly id: string;
  readonly at: Date;
  readonly strategyUsed: StrategyUsed | null;
  readonly dialect: string | null;
}

/**
 * The newest failed turns of a model with stored requests that did not run as `target` says, newest first. `teamId`
 * undefined: of all teams (security 29).
 */
export async function lastFailures(
  prisma: PrismaService,
  of: { modelId: string; teamId: string | undefined; since: Date },
  { strategy, dialect }: TrialTarget,
): Promise<TrialRow[]> {
  const own = of.teamId === undefined ? Prisma.empty : sql`AND turn.team_id = ${of.teamId}`;
  // OFFSET 0 keeps the planner from joining whole days: turns are read in order, and only as many as needed.
  const rows = await prisma.$queryRaw<FailedTurn[]>`
    SELECT turn.id, turn.at, turn.strategy_used AS "strategyUsed", turn.dialect, turn.outcome, turn.classes, turn.calls,
      turn.input_tokens::float8 AS "inputTokens", turn.output_tokens::float8 AS "outputTokens",
      turn.total_ms AS "totalMs", turn.error_code AS "errorCode", turn.error_message AS "errorMessage"
    FROM turn, LATERAL (
      SELECT 1 FROM turn_body WHERE turn_body.turn_id = turn.id AND turn_body.at = turn.at
        AND length(turn_body.client_request) <= ${WHOLE} OFFSET 0
    ) AS body
    WHERE turn.model_id = ${of.modelId} AND turn.at >= ${of.since} ${own}
      AND turn.stored AND turn.outcome = 'failed' AND ${NOT_CLEAN_CONDITION}
      AND (turn.strategy_used IS DISTINCT FROM ${strategy} OR turn.dialect IS DISTINCT FROM ${dialect})
    ORDER BY turn.at DESC, turn.id DESC LIMIT ${MAX_TRIED_TURNS}`;
  return rows.map(({ id, at, strategyUsed, dialect: spoken, ...old }) => ({
    turn: { id, at: at.toISOString(), strategyUsed, dialect: spoken },
    builtIn: null,
    old,
    new: null,
  }));
}
