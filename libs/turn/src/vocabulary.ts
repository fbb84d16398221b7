/** How a call, or the worst call of a turn, came out. */
export const outcomes = ['clean', 'repaired', 'failed'] as const;
export type CallOutcome = (typeof outcomes)[number];

/** A turn's outcome: `none` where tools were on offer and no call came; null where none were on offer or an error came first. */
export type TurnOutcome = CallOutcome | 'none' | null;

/** Why a call or turn is not clean. */
export const classes = [
  'InvalidJson',
  'UnknownName',
  'SchemaMismatch',
  'Truncated',
  'MissingArguments',
  'LeakedCall',
  'BadFraming',
  'EngineRejected',
  'EmptyTurn',
  'CallRequired',
  'CallForbidden',
] as const;
export type FindingClass = (typeof classes)[number];

/** Where it was noticed. */
export type FindingStage = 'request' | 'upstream' | 'read' | 'settle' | 'stream';

/** What was done about it. */
export type Action = 'repaired' | 'rescued' | 'wrapped' | 'dropped' | 'released' | 'retreated' | 'mended';

/** Whose error it is. */
export type Origin = 'client' | 'gateway' | 'upstream' | 'model';

/** How tools reach a model, as set by an admin. */
export const strategyNames = ['auto', 'native', 'prompt'] as const;
export type StrategyName = (typeof strategyNames)[number];

/** How tools reached the model in one turn. */
export type StrategyUsed = 'native' | 'prompt';

/** Where a setting's value comes from. */
export type Source = 'default' | 'declared' | 'discovered' | 'learned' | 'probed';

/** Where a token count comes from. */
export type TokenSource = 'upstream' | 'tokenize' | 'estimated';
