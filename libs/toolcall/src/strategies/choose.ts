import { type BaseStrategy, hasToolHistory, type StrategyName, type Turn } from '@callsmith/turn';

/** What `choose` looks at. */
export interface ChooseInput {
  readonly configured: StrategyName;
  readonly turn: Turn;
  /** What is known of the model on its upstream: false where it takes no tools. */
  readonly takesTools?: boolean;
  /** Where its engine can be held to calls; asked under `strict` alone. */
  readonly holds?: { readonly native: () => boolean; readonly text: () => boolean };
}

/**
 * How a turn's tools are sent: what is set; with `auto` natively unless the model takes no tools; with `strict` where the
 * engine can be held to calls, natively before the prompt, and else as with `auto`.
 */
export function choose({ configured, turn, takesTools, holds }: ChooseInput): BaseStrategy {
  if (configured === 'native' || configured === 'prompt') return configured;
  const needsTools = turn.tools.size > 0 || hasToolHistory(turn);
  if (needsTools && takesTools === false) return 'prompt';
  if (configured === 'auto' || turn.tools.size === 0 || holds === undefined || holds.native()) return 'native';
  return holds.text() ? 'prompt' : 'native';
}
