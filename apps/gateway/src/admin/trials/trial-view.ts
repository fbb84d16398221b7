import type { Trial, TrialRow } from '@callsmith/contracts';
import { shownTurnId } from '@callsmith/data/ids';
import type { Trial as StoredTrial } from '@callsmith/data/trials';

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

const rowView = ({ turn, ...row }: TrialRow): TrialRow => ({
  ...row,
  turn: turn && { ...turn, id: shownTurnId(turn.id) },
});
