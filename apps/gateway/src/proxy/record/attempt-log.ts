import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import type { FindingClass, Message, StrategyUsed } from '@callsmith/turn';
import type { RawAnswer } from './raw-answer.ts';

/** One of several tries at the same answer (D-35). */
export interface Try {
  /** Why its answer is of no use; empty where it is good, or where none came. */
  readonly classes: readonly FindingClass[];
  /** What its model was told of the answer before; empty where the same was asked once more. */
  readonly messages: readonly Message[];
  /** The request as it went upstream; undefined where no bodies will be stored. */
  readonly body: string | undefined;
  readonly raw: RawAnswer | undefined;
  /** Its answer went to the client. */
  delivered: boolean;
}

/** What was tried. Written by `attempts/`; all but the count is the newest attempt's. */
export class AttemptLog {
  count = 0;
  /** The model that was asked: the one asked for, or a fallback of it. */
  model: ModelEntry | undefined;
  route: Route | undefined;
  strategyUsed: StrategyUsed | undefined;
  dialect: string | undefined;
  /** Tokens that the prompt strategy put into the request, estimated. */
  toolPromptTokens: number | undefined;
  /** For the transcript; undefined where no bodies will be stored. */
  body: string | undefined;
  /** What its model said; undefined where nobody asks for that. */
  raw: RawAnswer | undefined;
  /** All tries, in their order, where an answer was asked for again; else none. */
  tries: readonly Try[] = [];
  /** Parameters that were left out for the upstream. */
  dropped: readonly string[] = [];
}
