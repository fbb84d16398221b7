import { upstreamKinds } from './upstream-kinds.mjs';

export { upstreamKinds };
export type UpstreamKind = (typeof upstreamKinds)[number];

/**
 * The result of a call, or of a turn's worst call, the best first. `clean`: valid as made by the model; `repaired`:
 * valid after certain repair; `invalid`: delivered, but it does not satisfy its tool's schema, or names no offered
 * tool; `failed`: wrapped, dropped or cut (D-34).
 */
export const outcomes = ['clean', 'repaired', 'invalid', 'failed'] as const;
export type CallOutcome = (typeof outcomes)[number];

/** The result of a turn that offered tools; `none`: there was no call. */
export const turnOutcomes = [...outcomes, 'none'] as const;

/** A turn's outcome: that of its worst call; null without tools or if an error came first. */
export type TurnOutcome = (typeof turnOutcomes)[number] | null;

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
  'EmptyAnswer',
  'AnnouncedNotCalled',
  'CallInReasoning',
  'CallRequired',
  'CallForbidden',
  'CallLoop',
] as const;
export type FindingClass = (typeof classes)[number];

/** Where it was noticed. */
export type FindingStage = 'request' | 'upstream' | 'parse' | 'finalize' | 'stream';

/** The action taken. */
export type Action = 'repaired' | 'rescued' | 'wrapped' | 'dropped' | 'released' | 'retreated' | 'corrected' | 'mended';

/** Whose error it is; `tool`: of a server of tools. */
export const origins = ['client', 'gateway', 'upstream', 'model', 'tool'] as const;
export type Origin = (typeof origins)[number];

/** How tools are sent: in the request's own fields, or in the prompt. */
export type BaseStrategy = 'native' | 'prompt';

/** How tools reached the model in one turn; `strict`: by one of the other two, with a grammar for the engine. */
export const strategiesUsed = ['native', 'strict', 'prompt'] as const;
export type StrategyUsed = (typeof strategiesUsed)[number];

/** How tools reach a model, as set by an admin. */
export const strategyNames = ['auto', ...strategiesUsed] as const;
export type StrategyName = (typeof strategyNames)[number];

/** The source of a setting's value. */
export const sources = ['default', 'declared', 'discovered', 'learned', 'probed'] as const;
export type Source = (typeof sources)[number];

/** The source of a token count. */
export type TokenSource = 'upstream' | 'tokenizer' | 'estimated';
