import { type BaseStrategy, type Finding, hasToolHistory, type Turn } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import { runSteps } from '../steps.ts';
import { prepareNative } from './native.ts';
import { conflictingParameters, type PromptOptions, preparePromptInSteps } from './prompt.ts';
import { type RepairHistoryOptions, repairHistoryInSteps } from './repair-history.ts';

/** A turn that is ready for the upstream. */
export interface PreparedTurn {
  readonly turn: Turn;
  /** What was repaired in the history. */
  readonly notes: readonly Finding[];
  /** Parameters left out because they would prevent calls in text; the client is told. */
  readonly dropped: readonly string[];
}

/** How a turn is prepared. */
export interface PrepareTurnOptions extends RepairHistoryOptions {
  /** How the tool prompt is written, if the strategy has one. */
  readonly prompt?: PromptOptions;
}

/**
 * Repairs a turn's history and prepares it for a strategy. Throws the faults of `repairHistory`.
 * @internal The gateway prepares requests in steps; tests and measurements do it at once.
 */
export const prepareTurn = (
  turn: Turn,
  strategy: BaseStrategy,
  dialect: Dialect,
  options: PrepareTurnOptions = {},
): PreparedTurn => runSteps(prepareTurnInSteps(turn, strategy, dialect, options));

/** `prepareTurn` in steps: a long turn takes time, and other work can run between them. */
export function* prepareTurnInSteps(
  turn: Turn,
  strategy: BaseStrategy,
  dialect: Dialect,
  options: PrepareTurnOptions = {},
): Generator<undefined, PreparedTurn> {
  if (turn.tools.size === 0 && !hasToolHistory(turn)) return { turn, notes: [], dropped: [] };
  const { turn: repaired, notes } = yield* repairHistoryInSteps(turn, options);
  if (strategy === 'native') return { turn: prepareNative(repaired, dialect.name), notes, dropped: [] };
  const prepared = yield* preparePromptInSteps(repaired, dialect, options.prompt);
  return { turn: prepared, notes, dropped: conflictingParameters(repaired, dialect) };
}
