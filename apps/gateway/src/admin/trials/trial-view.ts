import type { Trial, TrialRow } from '@callsmith/contracts';
import { type Trial as StoredTrial, shownTurnId } from '@callsmith/data';

/** A trial as the API shows it. */
export function trialView({ id, at, modelId, strategy, dialect, state, problem, rows, endedAt }: StoredTrial): Trial {
  return {
    id,
    at: at.toISOString(),
    modelId,
    strategy,
    dialect,
    state,
    problem,
    rows: rows.map(rowView),
    endedAt: endedAt?.toISOString() ?? null,
  };
}

const rowView = ({ turn, ...row }: StoredTrial['rows'][number]): TrialRow =>
  ({ ...row, turn: turn && { ...turn, id: shownTurnId(turn.id) } }) as TrialRow;
