import { hasToolHistory, type Note, type StrategyUsed, type Turn } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { type Mending, mendHistory } from './mend-history.ts';
import { shapeNative } from './native.ts';
import { hindrances, shapePrompt } from './prompt.ts';

/** A turn as it is to go upstream. */
export interface Shaped {
  readonly turn: Turn;
  /** What was mended in the history. */
  readonly notes: readonly Note[];
  /** Parameters left out because calls in words could not be made beside them; the client is told. */
  readonly dropped: readonly string[];
}

/** Mends a turn's history and shapes it for a strategy. Throws the faults of `mendHistory`. */
export function shape(turn: Turn, strategy: StrategyUsed, dialect: Dialect, mending: Mending = {}): Shaped {
  if (turn.tools.size === 0 && !hasToolHistory(turn)) return { turn, notes: [], dropped: [] };
  const { turn: mended, notes } = mendHistory(turn, mending);
  if (strategy === 'native') return { turn: shapeNative(mended, dialect.name), notes, dropped: [] };
  return { turn: shapePrompt(mended, dialect), notes, dropped: hindrances(mended, dialect) };
}
