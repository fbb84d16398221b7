import { hasToolHistory, type StrategyName, type StrategyUsed, type Turn } from '@callsmith/turn';

/** What was found out about a model on an upstream (D-25). */
export interface LearnedStrategy {
  readonly strategy: StrategyUsed;
  /** In words, e.g. the upstream's refusal. */
  readonly reason: string;
  /** The engine's version when it was found; another version makes it void. */
  readonly engineVersion?: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** How long what was learned counts. */
export const learnedForMs = 24 * 60 * 60 * 1000;

/** What `choose` looks at. */
export interface ChooseInput {
  readonly configured: StrategyName;
  readonly turn: Turn;
  readonly learned?: LearnedStrategy;
  /** The engine's version now, where it is known. */
  readonly engineVersion?: string;
  /** What the upstream itself declares of the model: false where it takes no tools. */
  readonly takesTools?: boolean;
  readonly now: number;
}

/** Which strategy a turn gets, and why, in words for the transcript. */
export function choose({ configured, turn, learned, engineVersion, takesTools, now }: ChooseInput): {
  strategy: StrategyUsed;
  reason: string;
} {
  if (configured !== 'auto') return { strategy: configured, reason: 'set' };
  if (turn.tools.size === 0 && !hasToolHistory(turn)) return { strategy: 'native', reason: 'no tools' };
  if (learned && stillCounts(learned, engineVersion, now))
    return { strategy: learned.strategy, reason: learned.reason };
  if (takesTools === false) return { strategy: 'prompt', reason: 'The upstream says that this model takes no tools.' };
  return { strategy: 'native', reason: 'nothing speaks against it' };
}

/** False once it has expired or the engine is another version. */
export function stillCounts(learned: LearnedStrategy, engineVersion: string | undefined, now: number): boolean {
  if (now - learned.at >= learnedForMs) return false;
  return learned.engineVersion === undefined || engineVersion === undefined || learned.engineVersion === engineVersion;
}
