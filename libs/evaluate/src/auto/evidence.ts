import type { StrategyUsed } from '@callsmith/turn';
import type { ArmRow } from '../arm-result.ts';

/** A strategy, with a dialect where it writes calls as text and another than the model's own. */
export interface StrategyForm {
  readonly strategy: StrategyUsed;
  /** Null: the model's own. */
  readonly dialect: string | null;
}

/** One request with calls, as the record tells of it. */
export interface Call extends StrategyForm {
  readonly key: string;
  readonly client: string;
  readonly streamed: boolean;
  /** More than ten tools were on offer. */
  readonly manyTools: boolean;
  /** It failed, went out invalid, or only another strategy answered it. */
  readonly bad: boolean;
  /** It came after the last move. */
  readonly sinceMove: boolean;
}

/** What the newest probe found, on the same upstream with the same version of its engine. */
export interface ProbeFound {
  readonly arms: readonly (StrategyForm & { readonly name: string; readonly rows: readonly ArmRow[] })[];
  readonly size: 'quick' | 'full';
  /** It ended after the last move, so that nothing was decided by it yet. */
  readonly isNew: boolean;
  readonly hoursAgo: number;
}

/** All that `auto` decides by, of one model on the upstream that is asked first. */
export interface Evidence {
  readonly now: StrategyForm;
  /** Newest first: those of the last 24 hours, with the engine's version of now. */
  readonly calls: readonly Call[];
  /** Undefined: it was not probed with this version of the engine. */
  readonly probe: ProbeFound | undefined;
  /** The share of requests with calls that may fail, 0 to 1. */
  readonly budget: number;
  /** More failed over 30 days than the budget allows, and the model is to be moved then. */
  readonly usedUp: boolean;
  /** Somebody set its strategy: only a budget that is used up moves it. */
  readonly declared: boolean;
  /** How often it moved in the last 24 hours. */
  readonly moves: number;
}

/** Whether two forms are the same one. */
export const isSameForm = (a: StrategyForm, b: StrategyForm): boolean =>
  a.strategy === b.strategy && (a.strategy !== 'prompt' || a.dialect === b.dialect);
