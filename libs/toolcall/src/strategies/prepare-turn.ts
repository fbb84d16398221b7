import { hasToolHistory, type Note, type StrategyUsed, type Turn } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { prepareNative } from './native.ts';
import { hindrances, preparePrompt } from './prompt.ts';
import { type RepairHistoryOptions, repairHistory } from './repair-history.ts';

/** A turn as it is to go upstream. */
export interface PreparedTurn {
  readonly turn: Turn;
  /** What was mended in the history. */
  readonly notes: readonly Note[];
  /** Parameters left out because calls in words could not be made beside them; the client is told. */
  readonly dropped: readonly string[];
}

/** Mends a turn's history and shapes it for a strategy. Throws the faults of `mendHistory`. */
export function prepareTurn(
  turn: Turn,
  strategy: StrategyUsed,
  dialect: Dialect,
  mending: RepairHistoryOptions = {},
): PreparedTurn {
  if (turn.tools.size === 0 && !hasToolHistory(turn)) return { turn, notes: [], dropped: [] };
  const { turn: mended, notes } = repairHistory(turn, mending);
  if (strategy === 'native') return { turn: prepareNative(mended, dialect.name), notes, dropped: [] };
  return { turn: preparePrompt(mended, dialect), notes, dropped: hindrances(mended, dialect) };
}
