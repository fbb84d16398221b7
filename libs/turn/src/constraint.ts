import type { JsonObject } from './json.ts';

/**
 * How a call's arguments are written: as JSON, or as the tags of a family of models. The names are xgrammar's, whose
 * structural tags vLLM and SGLang take.
 */
export type ArgumentStyle =
  | 'json'
  | 'qwen_xml'
  | 'glm_xml'
  | 'minimax_xml'
  | 'minimax_m3_xml'
  | 'deepseek_xml'
  | 'kimi_k3_xml';

/** One call that an engine may let its model write: between `begin` and `end`, arguments that satisfy `schema`. */
export interface ConstraintTag {
  /** The tool's name. */
  readonly name: string;
  readonly begin: string;
  readonly end: string;
  /** Absent: any text up to `end`. */
  readonly schema?: JsonObject;
  readonly style: ArgumentStyle;
}

/**
 * What an engine is to hold its model to: text is free until one of the triggers, from which on one of the tags must
 * follow; behind it text is free again.
 */
export interface Constraint {
  readonly triggers: readonly string[];
  readonly tags: readonly ConstraintTag[];
  /** The answer begins with a call. */
  readonly required: boolean;
  /** The answer is over behind the first call. */
  readonly single: boolean;
  /** Reasoning that stands in the text before all else and is free; `opened`: the prompt has opened it already. */
  readonly reasoning?: { readonly open: string; readonly close: string; readonly opened: boolean };
}
