import { type BaseStrategy, hasToolHistory, type StrategyName, type Turn } from '@callsmith/turn';

/** The input of `choose`. */
export interface ChooseInput {
  readonly configured: StrategyName;
  readonly turn: Turn;
  /** False if the model is known to accept no tools on its upstream. */
  readonly takesTools?: boolean;
  /** Where its engine can constrain calls; only called under `strict`. */
  readonly holds?: { readonly native: () => boolean; readonly text: () => boolean };
}

/**
 * How a turn's tools are sent: as configured; with `auto` natively unless the model accepts no tools; with `strict`
 * where the engine can constrain calls, natively rather than in the prompt, and otherwise as with `auto`.
 */
export function choose({ configured, turn, takesTools, holds }: ChooseInput): BaseStrategy {
  if (configured === 'native' || configured === 'prompt') return configured;
  const needsTools = turn.tools.size > 0 || hasToolHistory(turn);
  if (needsTools && takesTools === false) return 'prompt';
  if (configured === 'auto' || turn.tools.size === 0 || holds === undefined || holds.native()) return 'native';
  return holds.text() ? 'prompt' : 'native';
}
