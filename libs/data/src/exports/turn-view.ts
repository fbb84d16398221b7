import { listedColumns, type TurnRow } from '@callsmith/contracts';
import { shownTurnId } from '../ids.ts';
import type { TurnRow as StoredTurn } from '../turns/list.ts';

/** A turn as lists show it. */
export function turnView(row: StoredTurn): TurnRow {
  const values = { ...row, id: shownTurnId(row.id), at: row.at.toISOString() };
  return Object.fromEntries(listedColumns.map((name) => [name, values[name]])) as TurnRow;
}
