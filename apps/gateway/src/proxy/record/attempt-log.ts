import type { Route } from '@callsmith/data/snapshot';
import type { StrategyUsed } from '@callsmith/turn';

/** What was tried. Written by `attempts/`; all but the count is the newest attempt's. */
export class AttemptLog {
  count = 0;
  route: Route | undefined;
  strategyUsed: StrategyUsed | undefined;
  dialect: string | undefined;
  /** Tokens that the prompt strategy put into the request, estimated. */
  toolPromptTokens: number | undefined;
  /** For the transcript; undefined where no bodies will be stored. */
  body: string | undefined;
  /** Parameters that were left out for the upstream. */
  dropped: readonly string[] = [];
}
