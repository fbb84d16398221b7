import type { StrategyUsed } from '@callsmith/turn';
import type { ArmRow } from '../arm-result.ts';

/** A strategy, with a dialect if it writes calls as text in another than the model's own. */
export interface StrategyForm {
  readonly strategy: StrategyUsed;
  /** Null: the model's own. */
  readonly dialect: string | null;
}

/** One recorded request with calls. */
export interface Call extends StrategyForm {
  readonly key: string;
  readonly client: string;
  readonly streamed: boolean;
  /** It offered more than ten tools. */
  readonly manyTools: boolean;
  /** It failed, was invalid, or only another strategy answered it. */
  readonly bad: boolean;
  /** It came after the last switch. */
  readonly sinceMove: boolean;
}

/** The result of the newest probe, on the same upstream with the same version of its engine. */
export interface ProbeFound {
  readonly arms: readonly (StrategyForm & { readonly name: string; readonly rows: readonly ArmRow[] })[];
  readonly size: 'quick' | 'full';
  /** It ended after the last switch, so no decision has used it yet. */
  readonly isNew: boolean;
  readonly hoursAgo: number;
}

/** All evidence for `auto`, about one model on the upstream that is used first. */
export interface Evidence {
  readonly now: StrategyForm;
  /** Newest first: those of the last 24 hours, with the engine's current version. */
  readonly calls: readonly Call[];
  /** Undefined: not probed with this version of the engine. */
  readonly probe: ProbeFound | undefined;
  /** The share of requests with calls that may fail, 0 to 1. */
  readonly budget: number;
  /** More failed over 30 days than the budget allows, and the model is set to switch then. */
  readonly usedUp: boolean;
  /** An admin set its strategy: only a used-up budget changes it. */
  readonly declared: boolean;
  /** How often it switched in the last 24 hours. */
  readonly moves: number;
}

/** Whether two forms are equal. */
export const isSameForm = (a: StrategyForm, b: StrategyForm): boolean =>
  a.strategy === b.strategy && (a.strategy !== 'prompt' || a.dialect === b.dialect);
