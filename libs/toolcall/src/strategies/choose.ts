import { hasToolHistory, type StrategyName, type StrategyUsed, type Turn } from '@callsmith/turn';

/** What `choose` looks at. */
export interface ChooseInput {
  readonly configured: StrategyName;
  readonly turn: Turn;
  /** What is known of the model on its upstream: false where it takes no tools. */
  readonly takesTools?: boolean;
}

/** Which strategy a turn gets: what is set, or with `auto` native calls unless the model takes no tools. */
export function choose({ configured, turn, takesTools }: ChooseInput): StrategyUsed {
  if (configured !== 'auto') return configured;
  const needsTools = turn.tools.size > 0 || hasToolHistory(turn);
  return needsTools && takesTools === false ? 'prompt' : 'native';
}
